// Camera geometry in float32: the rays of pixels, and the pixels of points,
// with the order of operations of camdriver/process, so
// that points and colours equal those of the program's other commands.

const f32 = Math.fround

/** Intrinsics relate pixels to rays; lengths are in pixels. */
export interface Intrinsics {
  width: number
  height: number
  fx: number
  fy: number
  ppx: number
  ppy: number
  /** The SDK's name of the lens model. */
  model: string
  coeffs: readonly number[]
}

/** Extrinsics map points of one stream to another; the rotation is column-major. */
export interface Extrinsics {
  rotation: readonly number[]
  translation: readonly number[]
}

export const identity: Extrinsics = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: [0, 0, 0] }

/**
 * How a projection distorts: not at all, or with tangential terms of the point after
 * or before the radial distortion. The shader uses the same numbers.
 */
export const straight = 0, modified = 1, brown = 2

/** bending returns how a model's projection distorts points, as in the SDK's fast path. */
export function bending(model: string): number {
  switch (model) {
    case 'None': return straight
    case 'Brown Conrady': return brown
  }
  return modified
}

/** bendsRays reports whether a model distorts the rays of pixels: only this one does. */
export const bendsRays = (model: string): boolean => model === 'Inverse Brown Conrady'

/** coefficients returns the five coefficients; missing ones are 0. */
export function coefficients(i: Intrinsics): Float32Array {
  const c = new Float32Array(5)
  c.set(i.coeffs.slice(0, 5))
  return c
}

/** Rays are the directions of a frame's pixels, as x and y at depth 1. */
export class Rays {
  readonly width: number
  readonly height: number
  private readonly bent: boolean
  private readonly xs: Float32Array; // an entry a column, or a pixel if bent
  private readonly ys: Float32Array; // an entry a row, or a pixel if bent

  /** step is the distance between neighbouring pixels of the frame, in pixels of the sensor. */
  constructor(i: Intrinsics, width = i.width, height = i.height, step = 1) {
    this.width = width
    this.height = height
    const fx = f32(i.fx), fy = f32(i.fy), ppx = f32(i.ppx), ppy = f32(i.ppy)
    const xs = Float32Array.from({ length: width }, (_, u) => f32(f32(u * step) - ppx) / fx)
    const ys = Float32Array.from({ length: height }, (_, v) => f32(f32(v * step) - ppy) / fy)
    const c = coefficients(i)
    this.bent = bendsRays(i.model) && c.some((v) => v !== 0)
    const all = this.bent ? bend(xs, ys, c) : [xs, ys] as const
    this.xs = all[0]
    this.ys = all[1]
  }

  x(u: number, v: number): number {
    return this.xs[this.bent ? v * this.width + u : u]!
  }

  y(u: number, v: number): number {
    return this.ys[this.bent ? v * this.width + u : v]!
  }
}

function bend(xs: Float32Array, ys: Float32Array, c: Float32Array): [Float32Array, Float32Array] {
  const [k0, k1, p0, p1, k2] = c as unknown as [number, number, number, number, number]
  const outX = new Float32Array(xs.length * ys.length), outY = new Float32Array(outX.length)
  let i = 0
  for (const y of ys) {
    for (const x of xs) {
      const r2 = f32(f32(x * x) + f32(y * y))
      const f = f32(f32(f32(1 + f32(k0 * r2)) + f32(f32(k1 * r2) * r2)) + f32(f32(f32(k2 * r2) * r2) * r2))
      const tx = f32(f32(f32(2 * p0) * x) * y), ty = f32(f32(f32(2 * p1) * x) * y)
      outX[i] = f32(f32(x * f) + tx) + f32(p1 * f32(r2 + f32(f32(2 * x) * x)))
      outY[i] = f32(f32(y * f) + ty) + f32(p0 * f32(r2 + f32(f32(2 * y) * y)))
      i++
    }
  }
  return [outX, outY]
}

/** Lens projects points of another camera. */
export class Lens {
  private readonly r: Float32Array
  private readonly t: Float32Array
  private readonly c: Float32Array
  private readonly bend: number
  private readonly fx: number
  private readonly fy: number
  private readonly ppx: number
  private readonly ppy: number

  constructor(i: Intrinsics, from: Extrinsics) {
    this.r = Float32Array.from(from.rotation)
    this.t = Float32Array.from(from.translation)
    this.c = coefficients(i)
    this.bend = bending(i.model)
    this.fx = f32(i.fx)
    this.fy = f32(i.fy)
    this.ppx = f32(i.ppx)
    this.ppy = f32(i.ppy)
  }

  /** see writes the pixel of a point to out. */
  see(x: number, y: number, z: number, out: [number, number]): void {
    const r = this.r, t = this.t
    const qx = f32(f32(r[0]! * x) + f32(f32(r[3]! * y) + f32(f32(r[6]! * z) + t[0]!)))
    const qy = f32(f32(r[1]! * x) + f32(f32(r[4]! * y) + f32(f32(r[7]! * z) + t[1]!)))
    const qz = f32(f32(r[2]! * x) + f32(f32(r[5]! * y) + f32(f32(r[8]! * z) + t[2]!)))
    out[0] = f32(qx / qz)
    out[1] = f32(qy / qz)
    if (this.bend !== straight) this.distort(out)
    out[0] = f32(f32(out[0] * this.fx) + this.ppx)
    out[1] = f32(f32(out[1] * this.fy) + this.ppy)
  }

  private distort(p: [number, number]): void {
    const [x, y] = p, c = this.c
    const r2 = f32(f32(x * x) + f32(y * y)), r4 = f32(r2 * r2)
    const f = f32(1 + f32(f32(c[0]! * r2) + f32(f32(c[1]! * r4) + f32(c[4]! * f32(r2 * r4)))))
    const xf = f32(x * f), yf = f32(y * f)
    const [tx, ty] = this.bend === brown ? [x, y] : [xf, yf]
    const xy = f32(tx * ty)
    const outX = f32(c[3]! * f32(r2 + f32(2 * f32(tx * tx))))
    const outY = f32(c[2]! * f32(r2 + f32(2 * f32(ty * ty))))
    p[0] = f32(xf + f32(f32(2 * f32(c[2]! * xy)) + outX))
    p[1] = f32(yf + f32(f32(2 * f32(c[3]! * xy)) + outY))
  }
}
