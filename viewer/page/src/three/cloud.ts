import { type Extrinsics, type Intrinsics, Lens, type Rays } from './lens'

const f32 = Math.fround

/** Depth is a depth frame with what turns it into points. */
export interface Depth {
  width: number
  height: number
  /** One value a pixel, row by row; 0 is unknown. */
  data: Uint16Array
  /** Metres of a value of 1. */
  units: number
  rays: Rays
}

/** Picture is the image that colours points, four bytes a pixel: red, green, blue, unused. */
export interface Picture {
  width: number
  height: number
  rgba: Uint8Array | Uint8ClampedArray
  intrinsics: Intrinsics
  /** From depth to the picture's camera. */
  extrinsics: Extrinsics
}

/** pointAt returns the point of a pixel; z is 0 where depth is unknown. */
export function pointAt(d: Depth, u: number, v: number): [number, number, number] {
  const z = f32(d.units * d.data[v * d.width + u]!)
  return [f32(z * d.rays.x(u, v)), f32(z * d.rays.y(u, v)), z]
}

/** points returns x, y, z of each pixel; 0, 0, 0 where depth is unknown. */
export function points(d: Depth): Float32Array {
  const xyz = new Float32Array(3 * d.width * d.height)
  let i = 0
  for (let v = 0; v < d.height; v++) {
    for (let u = 0; u < d.width; u++, i++) {
      const z = f32(d.units * d.data[i]!)
      xyz[3 * i] = f32(z * d.rays.x(u, v))
      xyz[3 * i + 1] = f32(z * d.rays.y(u, v))
      xyz[3 * i + 2] = z
    }
  }
  return xyz
}

/** colours returns red, green, blue of each point; black where the picture doesn't see it. */
export function colours(xyz: Float32Array, p: Picture): Uint8Array {
  const n = xyz.length / 3
  const rgb = new Uint8Array(3 * n)
  const lens = new Lens(p.intrinsics, p.extrinsics)
  const at: [number, number] = [0, 0]
  const { width, height } = p.intrinsics
  for (let i = 0; i < n; i++) {
    const z = xyz[3 * i + 2]!
    if (z === 0) continue
    lens.see(xyz[3 * i]!, xyz[3 * i + 1]!, z, at)
    const x = nearest(f32(at[0] / width) * p.width), y = nearest(f32(at[1] / height) * p.height)
    if (x >= 0 && y >= 0 && x < p.width && y < p.height) {
      const from = 4 * (y * p.width + x)
      rgb[3 * i] = p.rgba[from]!
      rgb[3 * i + 1] = p.rgba[from + 1]!
      rgb[3 * i + 2] = p.rgba[from + 2]!
    }
  }
  return rgb
}

/** nearest rounds, a half away from 0. */
const nearest = (v: number): number => (v < 0 ? -Math.round(-v) : Math.round(v))
