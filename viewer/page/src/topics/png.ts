import { mostPixels } from './image'

/** PNG is a picture with 8 or 16 bits per channel: grey, grey and alpha, or colour. */
export interface PNG {
  width: number
  height: number
  /** Bits per channel. */
  depth: 8 | 16
  channels: number
  /** Rows without padding; 16-bit channels are big-endian. */
  data: Uint8Array
}

const signature = [137, 80, 78, 71, 13, 10, 26, 10]

/** Channels per colour type; palettes aren't supported. */
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 }

/**
 * readPNG decodes a PNG exactly, which the browser's decoder doesn't do for
 * 16 bits. Interlaced files and palettes are refused.
 */
export async function readPNG(bytes: Uint8Array): Promise<PNG> {
  const { head, packed } = chunks(bytes)
  const v = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const width = v.getUint32(0), height = v.getUint32(4), depth = head[8]!, channels = channelsOf[head[9]!] ?? 0
  if (width * height > mostPixels || width * height === 0) throw new RangeError(`PNG of ${width}×${height} pixels`)
  if ((depth !== 8 && depth !== 16) || channels === 0 || head[12] !== 0) {
    throw new RangeError(`PNG with ${depth} bits, colour type ${head[9]}, interlacing ${head[12]}`)
  }
  const row = (width * channels * depth) / 8
  const data = await inflate(packed, height * (row + 1))
  return { width, height, depth, channels, data: unfilter(data, height, row, (channels * depth) / 8) }
}

function chunks(bytes: Uint8Array): { head: Uint8Array; packed: Uint8Array<ArrayBuffer>[] } {
  if (signature.some((b, i) => bytes[i] !== b)) throw new RangeError('PNG: not one by its first bytes')
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const packed: Uint8Array<ArrayBuffer>[] = []
  let head: Uint8Array | null = null
  for (let at = 8; at + 12 <= bytes.length; ) {
    const n = v.getUint32(at)
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (n > bytes.length - at - 12) throw new RangeError(`PNG: chunk ${type} of ${n} bytes at byte ${at}, the file ends before`)
    const body = bytes.slice(at + 8, at + 8 + n)
    if (type === 'IHDR' && n === 13) head = body
    if (type === 'IDAT') packed.push(body)
    if (type === 'IEND') break
    at += 12 + n
  }
  if (!head) throw new RangeError('PNG: without a head')
  return { head, packed }
}

/** inflate decompresses to exactly n bytes. */
async function inflate(packed: Uint8Array<ArrayBuffer>[], n: number): Promise<Uint8Array> {
  const out = new Uint8Array(n)
  let at = 0
  const reader = new Blob(packed).stream().pipeThrough(new DecompressionStream('deflate')).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (at + value.length > n) {
      await reader.cancel()
      throw new RangeError(`PNG: more than ${n} bytes of rows`)
    }
    out.set(value, at)
    at += value.length
  }
  if (at !== n) throw new RangeError(`PNG: ${at} bytes of rows, want ${n}`)
  return out
}

/** unfilter undoes the filter of each row, named by its first byte. */
function unfilter(data: Uint8Array, height: number, row: number, pixel: number): Uint8Array {
  const out = new Uint8Array(height * row)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (row + 1)]!
    if (filter > 4) throw new RangeError(`PNG: filter ${filter} in row ${y}`)
    const to = y * row
    for (let x = 0; x < row; x++) {
      const left = x >= pixel ? out[to + x - pixel]! : 0
      const above = y > 0 ? out[to + x - row]! : 0
      const corner = x >= pixel && y > 0 ? out[to + x - row - pixel]! : 0
      out[to + x] = data[y * (row + 1) + 1 + x]! + predicted(filter, left, above, corner)
    }
  }
  return out
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0: return 0
    case 1: return left
    case 2: return above
    case 3: return (left + above) >> 1
  }
  const p = left + above - corner
  const a = Math.abs(p - left), b = Math.abs(p - above), c = Math.abs(p - corner)
  return a <= b && a <= c ? left : b <= c ? above : corner
}
