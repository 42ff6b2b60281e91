import { decodeList } from '../depth/rvl'
import { Image, mostPixels } from './image'
import { readPNG } from './png'
import { Header, Reader } from './reader'

/** Compressed is sensor_msgs/CompressedImage. Its data are a view into the message. */
export interface Compressed {
  header: Header
  format: string
  data: Uint8Array
}

export function readCompressed(bytes: Uint8Array): Compressed {
  const r = new Reader(bytes)
  return { header: r.header(), format: r.text(), data: r.raw(r.count(1)) }
}

/** The head of compressed_depth_image_transport's data. */
const depthHead = 12

/**
 * unpackDepth decodes the data of compressedDepth, PNG or RVL, to the image it was
 * made from: exactly for 16UC1, up to its quantisation for 32FC1.
 */
export async function unpackDepth(c: Compressed): Promise<Omit<Image, 'header'>> {
  if (c.data.length < depthHead) throw new RangeError(`compressed depth of ${c.data.length} bytes, less than its head`)
  const v = new DataView(c.data.buffer, c.data.byteOffset, c.data.byteLength)
  const a = v.getFloat32(4, true), b = v.getFloat32(8, true)
  const body = c.data.subarray(depthHead)
  const { width, height, values } = c.format.includes('rvl') ? readRVLBody(body) : await png16(body)
  const floating = c.format.startsWith('32FC1')
  const out = floating ? dequantized(values, a, b) : values
  const data = new Uint8Array(out.buffer, out.byteOffset, out.byteLength)
  return { width, height, encoding: floating ? '32FC1' : '16UC1', bigEndian: false, step: data.length / Math.max(1, height), data }
}

interface Values {
  width: number
  height: number
  values: Uint16Array
}

async function png16(body: Uint8Array): Promise<Values> {
  const p = await readPNG(body)
  if (p.channels !== 1 || p.depth !== 16) throw new RangeError(`compressed depth: PNG of ${p.channels} channels of ${p.depth} bits, want one of 16`)
  const values = new Uint16Array(p.width * p.height)
  for (let i = 0; i < values.length; i++) values[i] = (p.data[2 * i]! << 8) | p.data[2 * i + 1]!
  return { width: p.width, height: p.height, values }
}

function dequantized(values: Uint16Array, a: number, b: number): Float32Array {
  return Float32Array.from(values, (v) => (v === 0 ? NaN : a / (v - b)))
}

function readRVLBody(body: Uint8Array): Values {
  const r = new Reader(body)
  const width = r.u32(), height = r.u32()
  if (width * height > mostPixels || width * height > 5 * body.length + 64) {
    throw new RangeError(`compressed depth: RVL of ${width}×${height} pixels in ${body.length} bytes`)
  }
  const words = r.raw(r.remaining), values = new Uint16Array(width * height)
  decodeList(new DataView(words.buffer, words.byteOffset, words.byteLength), 0, words.length, values, 0, values.length)
  return { width, height, values }
}
