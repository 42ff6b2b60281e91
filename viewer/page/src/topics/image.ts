import { Header, Reader } from './reader'

/** Image is sensor_msgs/Image. Its data are a view into the message. */
export interface Image {
  header: Header
  width: number
  height: number
  encoding: string
  bigEndian: boolean
  /** Bytes from row to row. */
  step: number
  data: Uint8Array
}

/** The most pixels of a picture. */
export const mostPixels = 1 << 26

/** readImage reads a message. It throws if rows are missing. */
export function readImage(bytes: Uint8Array): Image {
  const r = new Reader(bytes)
  const header = r.header()
  const height = r.u32(), width = r.u32()
  const encoding = r.text()
  const bigEndian = r.u8() !== 0
  const step = r.u32()
  const data = r.raw(r.count(1))
  const i = { header, width, height, encoding, bigEndian, step, data }
  checkImage(i)
  return i
}

/** checkImage throws unless the size agrees with the encoding, the step and the data. */
export function checkImage(i: Omit<Image, 'header'>): void {
  if (i.width * i.height > mostPixels) throw new RangeError(`image of ${i.width}×${i.height} pixels`)
  const f = formatOf(i.encoding)
  const least = Math.ceil(f.bytes * i.width)
  if (i.step < least || i.step * i.height > i.data.length) {
    throw new RangeError(`image: ${i.width}×${i.height} ${i.encoding}, ${i.step} bytes a row, ${i.data.length} bytes`)
  }
}

/** Format is an encoding of sensor_msgs/image_encodings. */
export interface Format {
  kind: 'colour' | 'bayer' | 'yuv' | 'number'
  /** Bytes per pixel, of all channels. */
  bytes: number
  channels: number
  /** For colour and Bayer: the order of red, green, blue among a pixel's channels or a cell's pixels. */
  order: string
  number: Channel
}

/** Channel is the type of a channel. */
export type Channel = 'U8' | 'S8' | 'U16' | 'S16' | 'S32' | 'F32' | 'F64'

const sizes: Record<Channel, number> = { U8: 1, S8: 1, U16: 2, S16: 2, S32: 4, F32: 4, F64: 8 }

const named: Record<string, [Format['kind'], string, Channel]> = {
  rgb8: ['colour', 'rgb', 'U8'], rgba8: ['colour', 'rgba', 'U8'], rgb16: ['colour', 'rgb', 'U16'], rgba16: ['colour', 'rgba', 'U16'],
  bgr8: ['colour', 'bgr', 'U8'], bgra8: ['colour', 'bgra', 'U8'], bgr16: ['colour', 'bgr', 'U16'], bgra16: ['colour', 'bgra', 'U16'],
  mono8: ['number', 'm', 'U8'], mono16: ['number', 'm', 'U16'],
  bayer_rggb8: ['bayer', 'rggb', 'U8'], bayer_bggr8: ['bayer', 'bggr', 'U8'], bayer_gbrg8: ['bayer', 'gbrg', 'U8'], bayer_grbg8: ['bayer', 'grbg', 'U8'],
  bayer_rggb16: ['bayer', 'rggb', 'U16'], bayer_bggr16: ['bayer', 'bggr', 'U16'], bayer_gbrg16: ['bayer', 'gbrg', 'U16'], bayer_grbg16: ['bayer', 'grbg', 'U16'],
  yuv422: ['yuv', 'uyvy', 'U8'], uyvy: ['yuv', 'uyvy', 'U8'], yuv422_yuy2: ['yuv', 'yuyv', 'U8'], yuyv: ['yuv', 'yuyv', 'U8'],
}

/** formatOf returns the format of an encoding; it throws if the encoding is unknown. */
export function formatOf(encoding: string): Format {
  const known = named[encoding.toLowerCase()]
  if (known) {
    const [kind, order, number] = known
    const channels = kind === 'yuv' ? 2 : kind === 'bayer' ? 1 : order.length
    return { kind, order, number, channels, bytes: channels * sizes[number] }
  }
  const typed = /^(8|16|32|64)(U|S|F)C?(\d+)?$/.exec(encoding)
  const number = typed && (`${typed[2]}${typed[1]}` as Channel)
  const channels = channelCount(typed?.[3])
  if (!number || !(number in sizes) || channels < 1 || channels > 64) throw new RangeError(`image: encoding ${JSON.stringify(encoding.slice(0, 40))} isn't known`)
  const kind = channels > 2 && number === 'U8' ? 'colour' : 'number'
  return { kind, order: kind === 'colour' ? 'bgra'.slice(0, channels) : 'm', number, channels, bytes: channels * sizes[number] }
}

const channelCount = (text: string | undefined): number => (text === undefined ? 1 : parseInt(text, 10))

/** valueReader returns a function that reads a channel at a byte offset of an image. */
export function valueReader(i: Omit<Image, 'header'>, number: Channel): (at: number) => number {
  const v = new DataView(i.data.buffer, i.data.byteOffset, i.data.byteLength)
  const little = !i.bigEndian
  switch (number) {
    case 'U8': return (at) => v.getUint8(at)
    case 'S8': return (at) => v.getInt8(at)
    case 'U16': return (at) => v.getUint16(at, little)
    case 'S16': return (at) => v.getInt16(at, little)
    case 'S32': return (at) => v.getInt32(at, little)
    case 'F32': return (at) => v.getFloat32(at, little)
    case 'F64': return (at) => v.getFloat64(at, little)
  }
}

/** pixelText formats the channels of a pixel as in the message. */
export function pixelText(i: Omit<Image, 'header'>, x: number, y: number): string {
  const f = formatOf(i.encoding)
  const read = valueReader(i, f.number)
  const size = f.bytes / f.channels
  const at = y * i.step + x * f.bytes
  const out: string[] = []
  for (let c = 0; c < Math.min(f.channels, 4); c++) {
    const v = read(at + c * size)
    out.push(f.number.startsWith('F') ? v.toFixed(3) : String(v))
  }
  return out.join(' ')
}
