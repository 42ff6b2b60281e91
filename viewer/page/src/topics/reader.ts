/** Stamped is a message's header. Its time is nanoseconds since 1970. */
export interface Header {
  seq: number
  stamp: bigint
  frame: string
}

/**
 * Reader reads serialized ROS 1 messages. Every length is checked against the rest;
 * reading beyond the end throws an error with the offset.
 */
export class Reader {
  private readonly view: DataView
  private readonly bytes: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get remaining(): number {
    return this.bytes.length - this.at
  }

  private take(n: number): number {
    if (n > this.remaining) throw new RangeError(`message: ${n} bytes wanted at byte ${this.at}, ${this.remaining} left`)
    const at = this.at
    this.at += n
    return at
  }

  u8 = (): number => this.view.getUint8(this.take(1))
  u32 = (): number => this.view.getUint32(this.take(4), true)
  f32 = (): number => this.view.getFloat32(this.take(4), true)
  f64 = (): number => this.view.getFloat64(this.take(8), true)

  /** raw returns the next n bytes, a view into the message. */
  raw(n: number): Uint8Array {
    const at = this.take(n)
    return this.bytes.subarray(at, at + n)
  }

  /** count reads the length of an array whose elements have at least size bytes. */
  count(size: number): number {
    const n = this.u32()
    if (n * size > this.remaining) {
      throw new RangeError(`message: array of ${n} at byte ${this.at - 4}, ${this.remaining} bytes left`)
    }
    return n
  }

  text = (): string => new TextDecoder().decode(this.raw(this.count(1)))

  /** time reads seconds and nanoseconds. */
  time(): bigint {
    const secs = this.u32()
    return BigInt(secs) * 1_000_000_000n + BigInt(this.u32())
  }

  header(): Header {
    return { seq: this.u32(), stamp: this.time(), frame: this.text() }
  }

  /** floats reads an array of float32. */
  floats(): Float32Array {
    const out = new Float32Array(this.count(4))
    for (let i = 0; i < out.length; i++) out[i] = this.f32()
    return out
  }
}
