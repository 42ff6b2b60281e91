import { type Camera, focal } from './camera'
import { Depth, pointAt } from './cloud'
import type { Mat4, Vec3 } from './matrix'

/** Points this much farther than the foremost at a place are hidden by it. */
const behind = 1.05

/** Picked is a point of the cloud and its pixel in the depth frame. */
export interface Picked {
  u: number
  v: number
  point: Vec3
}

/**
 * pick returns the point under x, y (in pixels of the view): the foremost of those
 * drawn over it, else the nearest within radius pixels; null if there is
 * none. It tests every pixel, because points may be anywhere: a few ms at 720p.
 */
export function pick(d: Depth, camera: Camera, x: number, y: number, radius: number): Picked | null {
  const found = within(d, cone(camera.matrix(), camera, x, y, radius))
  // Half the size of a drawn point, in radii, at its distance from the eye.
  const half = (0.6 * (d.rays.x(1, 0) - d.rays.x(0, 0)) * focal * camera.height) / 2 / radius
  const covers = (c: Candidate) => Math.max(Math.abs(c.a), Math.abs(c.b)) <= (half * d.data[c.i]! * d.units) / c.w
  const over = found.filter(covers)
  let foremost = Infinity
  for (const c of over) foremost = Math.min(foremost, c.w)
  let best = Infinity
  let at = -1
  for (const c of over.length > 0 ? over : found) {
    const off = c.a * c.a + c.b * c.b
    if (c.w <= foremost * behind && off < best) [best, at] = [off, c.i]
  }
  if (at < 0) return null
  const u = at % d.width, v = (at - u) / d.width
  return { u, v, point: pointAt(d, u, v) }
}

/** Cone maps points to their offset from the line of sight, in radii, times their distance. */
interface Cone {
  a: Vec3
  a0: number
  b: Vec3
  b0: number
  w: Vec3
  w0: number
}

function cone(m: Mat4, camera: Camera, x: number, y: number, radius: number): Cone {
  const row = (r: number, by: number, minus: number): [Vec3, number] => {
    const at = (c: number) => by * (m[4 * c + r]! - minus * m[4 * c + 3]!)
    return [[at(0), at(1), at(2)], at(3)]
  }
  const [a, a0] = row(0, camera.width / 2 / radius, (2 * x) / camera.width - 1)
  const [b, b0] = row(1, camera.height / 2 / radius, 1 - (2 * y) / camera.height)
  return { a, a0, b, b0, w: [m[3]!, m[7]!, m[11]!], w0: m[15]! }
}

/** Candidate is a pixel with its offset from the line of sight, in radii, and its distance from the eye. */
interface Candidate {
  i: number
  a: number
  b: number
  w: number
}

function within(d: Depth, c: Cone): Candidate[] {
  const found: Candidate[] = []
  const { data, rays, width, height, units } = d
  for (let v = 0, i = 0; v < height; v++) {
    for (let u = 0; u < width; u++, i++) {
      const value = data[i]!
      if (value === 0) continue
      const z = value * units, x = z * rays.x(u, v), y = z * rays.y(u, v)
      const w = c.w[0] * x + c.w[1] * y + c.w[2] * z + c.w0
      const a = c.a[0] * x + c.a[1] * y + c.a[2] * z + c.a0
      if (w <= 0 || a > w || a < -w) continue
      const b = c.b[0] * x + c.b[1] * y + c.b[2] * z + c.b0
      if (b <= w && b >= -w && a * a + b * b <= w * w) found.push({ i, a: a / w, b: b / w, w })
    }
  }
  return found
}
