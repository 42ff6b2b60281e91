import { Header, Reader } from './reader'

/** Scan is sensor_msgs/LaserScan. Angles are radians, ranges metres. */
export interface Scan {
  header: Header
  angleMin: number
  angleMax: number
  angleIncrement: number
  rangeMin: number
  rangeMax: number
  ranges: Float32Array
  intensities: Float32Array
}

export function readScan(bytes: Uint8Array): Scan {
  const r = new Reader(bytes)
  const header = r.header()
  const [angleMin, angleMax, angleIncrement, , , rangeMin, rangeMax] = Array.from({ length: 7 }, r.f32) as number[]
  return {
    header, angleMin: angleMin!, angleMax: angleMax!, angleIncrement: angleIncrement!, rangeMin: rangeMin!, rangeMax: rangeMax!,
    ranges: r.floats(), intensities: r.floats(),
  }
}

/** scanPoints returns x, y of the valid ranges: x ahead, y to the left. */
export function scanPoints(s: Scan): Float32Array {
  const out = new Float32Array(2 * s.ranges.length)
  let n = 0
  s.ranges.forEach((d, i) => {
    if (!(d >= s.rangeMin && d <= s.rangeMax)) return
    const a = s.angleMin + i * s.angleIncrement
    out[n++] = d * Math.cos(a)
    out[n++] = d * Math.sin(a)
  })
  return out.subarray(0, n)
}

/** nearestPoint returns the index in points of the x of the point nearest to x, y; -1 if none is within radius. */
export function nearestPoint(points: Float32Array, x: number, y: number, radius: number): number {
  let best = -1
  for (let i = 0; i < points.length; i += 2) {
    const off = Math.hypot(points[i]! - x, points[i + 1]! - y)
    if (off <= radius) [best, radius] = [i, off]
  }
  return best
}
