// Vectors and matrices of the 3D view. Matrices are 4×4, column-major, as in
// WebGL. Lengths are metres; x points right, y down, z forward, as in the
// SDK.

export type Vec3 = readonly [number, number, number]
export type Mat4 = Float32Array

export const add = (a: Vec3, b: Vec3, f = 1): Vec3 => [a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]]
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
export const scale = (a: Vec3, f: number): Vec3 => [a[0] * f, a[1] * f, a[2] * f]
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2])
export const distance = (a: Vec3, b: Vec3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
export const middle = (a: Vec3, b: Vec3): Vec3 => scale(add(a, b), 0.5)
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

/** normalize returns a scaled to length 1; a itself if its length is 0. */
export function normalize(a: Vec3): Vec3 {
  const l = length(a)
  return l > 0 ? scale(a, 1 / l) : a
}

/** turned rotates v about axis (of length 1) by angle radians. */
export function turned(v: Vec3, axis: Vec3, angle: number): Vec3 {
  const c = Math.cos(angle), s = Math.sin(angle)
  return add(add(scale(v, c), cross(axis, v), s), axis, dot(axis, v) * (1 - c))
}

/** perspective returns a projection with a vertical field of view in radians. */
export function perspective(fovY: number, aspect: number, near: number, far: number): Mat4 {
  const f = 1 / Math.tan(fovY / 2)
  const m = new Float32Array(16)
  m[0] = f / aspect
  m[5] = f
  m[10] = (far + near) / (near - far)
  m[11] = -1
  m[14] = (2 * far * near) / (near - far)
  return m
}

/** lookAt maps the world to a camera at eye that looks at target. */
export function lookAt(eye: Vec3, target: Vec3, up: Vec3): Mat4 {
  const back = normalize(sub(eye, target))
  const right = normalize(cross(up, back))
  const above = cross(back, right)
  return new Float32Array([
    right[0], above[0], back[0], 0,
    right[1], above[1], back[1], 0,
    right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1,
  ])
}

/** multiply returns a·b. */
export function multiply(a: Mat4, b: Mat4): Mat4 {
  const m = new Float32Array(16)
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0
      for (let k = 0; k < 4; k++) sum += a[4 * k + row]! * b[4 * column + k]!
      m[4 * column + row] = sum
    }
  }
  return m
}

/** transform maps a point to homogeneous coordinates. */
export function transform(m: Mat4, p: Vec3): [number, number, number, number] {
  const at = (row: number) => m[row]! * p[0] + m[4 + row]! * p[1] + m[8 + row]! * p[2] + m[12 + row]!
  return [at(0), at(1), at(2), at(3)]
}
