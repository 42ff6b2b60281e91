import { type Intrinsics, Rays } from './lens'
import type { Vec3 } from './matrix'

/** Lines are pairs of points, each with a colour: x, y, z, r, g, b, alpha. */
export class Lines {
  private readonly values: number[] = []

  add(a: Vec3, b: Vec3, colour: readonly [number, number, number, number]): void {
    this.values.push(...a, ...colour, ...b, ...colour)
  }

  get array(): Float32Array {
    return Float32Array.from(this.values)
  }
}

/** Numbers of a vertex of Lines. */
export const lineNumbers = 7

/** Half the grid's size and its height below the camera, in fields and metres. */
const gridHalf = 12, gridY = 1
const axisLength = 0.4; // m
/** Where the depth camera's view is cut, in metres. */
const frustumCuts = [1, 3, 5]

/** grid adds a floor of fields of one metre, or of three feet. */
export function grid(l: Lines, field: number): void {
  const end = gridHalf * field
  for (let i = -gridHalf; i <= gridHalf; i++) {
    const tone = [0.55, 0.58, 0.62, i === 0 ? 0.7 : 0.28] as const
    const at = i * field
    l.add([at, gridY, -end], [at, gridY, end], tone)
    l.add([-end, gridY, at], [end, gridY, at], tone)
  }
}

/** axes adds x in red, y in green and z in blue at the camera. */
export function axes(l: Lines): void {
  l.add([0, 0, 0], [axisLength, 0, 0], [0.95, 0.26, 0.26, 1])
  l.add([0, 0, 0], [0, axisLength, 0], [0.3, 0.8, 0.36, 1])
  l.add([0, 0, 0], [0, 0, axisLength], [0.3, 0.55, 1, 1])
}

/** frustum adds what the depth camera sees. */
export function frustum(l: Lines, i: Intrinsics): void {
  const tone = [0.8, 0.8, 0.8, 0.35] as const
  const rays = new Rays(i)
  const right = i.width - 1, bottom = i.height - 1
  const corners = ([[0, 0], [right, 0], [right, bottom], [0, bottom]] as const).map(
    ([u, v]): Vec3 => [rays.x(u, v), rays.y(u, v), 1],
  )
  const at = (k: number, z: number): Vec3 => [corners[k % 4]![0] * z, corners[k % 4]![1] * z, z]
  for (let k = 0; k < 4; k++) {
    l.add([0, 0, 0], at(k, frustumCuts[frustumCuts.length - 1]!), tone)
    for (const z of frustumCuts) l.add(at(k, z), at(k + 1, z), tone)
  }
}
