import { Header, Reader } from './reader'

/** Field is sensor_msgs/PointField. */
export interface Field {
  name: string
  offset: number
  datatype: number
  count: number
}

/** PointCloud is sensor_msgs/PointCloud2. Its data are a view into the message. */
export interface PointCloud {
  header: Header
  width: number
  height: number
  fields: Field[]
  bigEndian: boolean
  pointStep: number
  rowStep: number
  data: Uint8Array
}

/** The most points of a cloud. */
const mostPoints = 1 << 24

/** Sizes of PointField's datatypes. */
const sizes = [0, 1, 1, 2, 2, 4, 4, 4, 8]

/** readPointCloud reads a message. It throws if points or fields lie outside its data. */
export function readPointCloud(bytes: Uint8Array): PointCloud {
  const r = new Reader(bytes)
  const header = r.header()
  const height = r.u32(), width = r.u32()
  const fields: Field[] = []
  for (let n = r.count(13); n > 0; n--) fields.push({ name: r.text(), offset: r.u32(), datatype: r.u8(), count: r.u32() })
  const bigEndian = r.u8() !== 0
  const pointStep = r.u32(), rowStep = r.u32()
  const data = r.raw(r.count(1))
  if (width * height > mostPoints || (width > 0 && pointStep === 0) || width * pointStep > rowStep || height * rowStep > data.length) {
    throw new RangeError(`point cloud: ${width}×${height} points of ${pointStep} bytes, ${rowStep} a row, in ${data.length}`)
  }
  for (const f of fields) {
    if (f.offset + (sizes[f.datatype] ?? Infinity) > pointStep) throw new RangeError(`point cloud: field ${JSON.stringify(f.name)} at byte ${f.offset} of ${pointStep}`)
  }
  return { header, width, height, fields, bigEndian, pointStep, rowStep, data }
}

/** fieldReader returns a function that reads the first value of a field of the point at a byte offset. */
export function fieldReader(c: PointCloud, name: string): ((at: number) => number) | null {
  const f = c.fields.find((f) => f.name === name)
  if (!f) return null
  const v = new DataView(c.data.buffer, c.data.byteOffset, c.data.byteLength)
  const little = !c.bigEndian, o = f.offset
  switch (f.datatype) {
    case 1: return (at) => v.getInt8(at + o)
    case 2: return (at) => v.getUint8(at + o)
    case 3: return (at) => v.getInt16(at + o, little)
    case 4: return (at) => v.getUint16(at + o, little)
    case 5: return (at) => v.getInt32(at + o, little)
    case 6: return (at) => v.getUint32(at + o, little)
    case 7: return (at) => v.getFloat32(at + o, little)
  }
  return (at) => v.getFloat64(at + o, little)
}

/** Points are x, y, z, red, green, blue, alpha of each point; colours from 0 to 1. */
export interface Points {
  values: Float32Array
  count: number
}

/** Tone is the colour of a point, each component from 0 to 1. */
type Tone = readonly [number, number, number]

/**
 * pointValues returns x, y, z, red, green, blue, alpha of each finite point,
 * coloured by rgb as PCL packs it, else by intensity, else by height.
 */
export function pointValues(c: PointCloud): Points {
  const [x, y, z] = ['x', 'y', 'z'].map((n) => fieldReader(c, n))
  if (!x || !y || !z) throw new RangeError(`point cloud: fields ${c.fields.map((f) => f.name).join(', ') || 'none'}, want x, y and z`)
  const tone = toneOf(c, z)
  const values = new Float32Array(7 * c.width * c.height)
  let count = 0
  for (let row = 0; row < c.height; row++) {
    for (let i = 0; i < c.width; i++) {
      const at = row * c.rowStep + i * c.pointStep
      const p = [x(at), y(at), z(at)]
      if (!p.every(Number.isFinite)) continue
      values.set(p, 7 * count)
      values.set(tone(at), 7 * count + 3)
      values[7 * count++ + 6] = 1
    }
  }
  return { values: values.slice(0, 7 * count), count }
}

function toneOf(c: PointCloud, z: (at: number) => number): (at: number) => Tone {
  const packed = c.fields.find((f) => (f.name === 'rgb' || f.name === 'rgba') && sizes[f.datatype] === 4)
  if (packed) {
    const v = new DataView(c.data.buffer, c.data.byteOffset, c.data.byteLength)
    return (at) => {
      const word = v.getUint32(at + packed.offset, !c.bigEndian)
      return [((word >> 16) & 255) / 255, ((word >> 8) & 255) / 255, (word & 255) / 255]
    }
  }
  const value = fieldReader(c, 'intensity') ?? z
  let least = Infinity, most = -Infinity
  for (let i = 0; i < c.width * c.height; i++) {
    const v = value(Math.floor(i / c.width) * c.rowStep + (i % c.width) * c.pointStep)
    if (Number.isFinite(v)) [least, most] = [Math.min(least, v), Math.max(most, v)]
  }
  return (at) => ramp((value(at) - least) / (most - least || 1))
}

/** ramp runs from blue through green to red. */
export function ramp(t: number): Tone {
  const part = (middle: number) => Math.max(0, Math.min(1, 1.5 - Math.abs(4 * t - middle)))
  return [part(3), part(2), part(1)]
}
