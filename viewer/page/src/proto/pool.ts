const most = 4

/** Pool keeps a few buffers of each size that the page has returned. */
export class Pool {
  private readonly free = new Map<number, ArrayBuffer[]>()

  get(bytes: number): ArrayBuffer {
    return this.free.get(bytes)?.pop() ?? new ArrayBuffer(bytes)
  }

  put(buffer: ArrayBuffer): void {
    let list = this.free.get(buffer.byteLength)
    if (!list) this.free.set(buffer.byteLength, list = [])
    if (list.length < most) list.push(buffer)
  }

  /** clear drops all buffers: another source has other sizes. */
  clear(): void { this.free.clear() }
}
