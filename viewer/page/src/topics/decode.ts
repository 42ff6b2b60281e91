import type { Picture } from '../proto/frames'
import type { Stream } from '../proto/messages'
import { readCompressed, unpackDepth } from './compressed'
import { type Image, readImage } from './image'
import { paint } from './paint'
import { readPNG } from './png'
import { pointValues, type Points, readPointCloud } from './pointcloud'
import { readScan, type Scan } from './scan'
import { readTransforms, type Transform } from './tf'

/** Decoded is a ROS message as the page uses it: a picture, or a message that a tile of topics/ shows. */
export interface Decoded { picture?: Picture; message?: unknown; transfer: Transferable[] }

/** TopicMessage is a message for a tile of topics/, by its type. Other messages are trees: JSON as received. */
export type TopicMessage =
  | { is: 'cloud'; points: Points; frame: string; fields: string; width: number; height: number }
  | { is: 'scan'; scan: Scan }
  | { is: 'transforms'; transforms: Transform[] }

/** Message types that are decoded here; the node sends their bytes, and JSON of all others. */
export const kinds: Record<string, 'image' | 'compressed' | 'cloud' | 'scan' | 'tf'> = {
  'sensor_msgs/Image': 'image',
  'sensor_msgs/CompressedImage': 'compressed',
  'sensor_msgs/PointCloud2': 'cloud',
  'sensor_msgs/LaserScan': 'scan',
  'tf2_msgs/TFMessage': 'tf',
  'tf/tfMessage': 'tf',
}

/** decodeTopic runs in the worker. body is the serialized ROS 1 message. */
export async function decodeTopic(info: Stream, body: Uint8Array): Promise<Decoded> {
  switch (kinds[info.type ?? info.format]) {
    case 'image': return image(readImage(body))
    case 'compressed': return compressed(body)
    case 'cloud': return cloud(body)
    case 'scan': return message({ is: 'scan', scan: readScan(body) })
    case 'tf': return message({ is: 'transforms', transforms: readTransforms(body) })
  }
  throw new Error(`${info.type ?? info.format} can't be shown`)
}

const message = (m: TopicMessage): Decoded => ({ message: m, transfer: [] })

function cloud(body: Uint8Array): Decoded {
  const c = readPointCloud(body)
  const points = pointValues(c)
  const fields = c.fields.map((f) => f.name).join(', ')
  return {
    message: { is: 'cloud', points, frame: c.header.frame, fields, width: c.width, height: c.height } satisfies TopicMessage,
    transfer: [points.values.buffer as ArrayBuffer],
  }
}

type Pixels = Omit<Image, 'header'>

/** image returns a picture. Depth (16UC1, and 32FC1 by REP 118) keeps its values, in millimetres. */
function image(i: Pixels): Decoded {
  const picture = depthPicture(i) ?? plainPicture(i) ?? painted(i)
  return { picture, transfer: [] }
}

/** Depth as 16 bits is millimetres; beyond this a float isn't depth. */
const deepest = 65.5

function depthPicture(i: Pixels): Picture | null {
  const n = i.width * i.height
  if (i.encoding === '16UC1') {
    const pixels = new Uint16Array(n)
    eachRow(i, (v, at, to) => {
      for (let x = 0; x < i.width; x++) pixels[to + x] = v.getUint16(at + 2 * x, !i.bigEndian)
    })
    return { layout: 'depth', width: i.width, height: i.height, pixels }
  }
  if (i.encoding !== '32FC1') return null
  const pixels = new Uint16Array(n)
  let depth = true
  eachRow(i, (v, at, to) => {
    for (let x = 0; x < i.width; x++) {
      const m = v.getFloat32(at + 4 * x, !i.bigEndian)
      if (m < 0 || (m > deepest && m !== Infinity)) depth = false
      pixels[to + x] = m > 0 && m <= deepest ? Math.round(m * 1000) : 0
    }
  })
  return depth ? { layout: 'depth', width: i.width, height: i.height, pixels } : null
}

function eachRow(i: Pixels, f: (v: DataView, at: number, to: number) => void): void {
  const v = new DataView(i.data.buffer, i.data.byteOffset, i.data.byteLength)
  for (let y = 0; y < i.height; y++) f(v, y * i.step, y * i.width)
}

/** plainPicture copies encodings that the tiles draw unchanged. */
function plainPicture(i: Pixels): Picture | null {
  const layout = ({ mono8: 'y8', '8UC1': 'y8', rgb8: 'rgb8', bgr8: 'bgr8', '8UC3': 'bgr8', rgba8: 'rgba8', bgra8: 'bgra8', '8UC4': 'bgra8' } as const)[i.encoding]
  if (!layout) return null
  const row = i.width * { y8: 1, rgb8: 3, bgr8: 3, rgba8: 4, bgra8: 4 }[layout]
  const pixels = new Uint8Array(row * i.height)
  for (let y = 0; y < i.height; y++) pixels.set(i.data.subarray(y * i.step, y * i.step + row), y * row)
  return { layout, width: i.width, height: i.height, pixels }
}

function painted(i: Pixels): Picture {
  const { rgba } = paint(i)
  return { layout: 'rgba8', width: i.width, height: i.height, pixels: new Uint8Array(rgba.buffer) }
}

async function compressed(body: Uint8Array): Promise<Decoded> {
  const c = readCompressed(body)
  if (c.format.includes('compressedDepth')) return image(await unpackDepth(c))
  if (c.data[0] === 0x89 && c.data[24] === 16) {
    const p = await readPNG(c.data)
    const encoding = p.channels === 1 ? '16UC1' : p.channels === 3 ? 'rgb16' : 'rgba16'
    if (p.channels !== 2) return image({ width: p.width, height: p.height, encoding, bigEndian: true, step: 2 * p.channels * p.width, data: p.data })
  }
  const bitmap = await createImageBitmap(new Blob([c.data as Uint8Array<ArrayBuffer>]), { colorSpaceConversion: 'none', premultiplyAlpha: 'none' })
  return { picture: { layout: 'bitmap', width: bitmap.width, height: bitmap.height, pixels: bitmap }, transfer: [] }
}
