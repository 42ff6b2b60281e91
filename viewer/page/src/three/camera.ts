import { add, cross, distance, dot, length, lookAt, Mat4, multiply, normalize, perspective, scale, sub, transform, turned, Vec3 } from './matrix'

const fovY = Math.PI / 4

/** Focal length of the view, in half heights. */
export const focal = 1 / Math.tan(fovY / 2)

const near = 0.001 // m
const far = 100 // m

/** Rotation by a drag over the shorter side of the view, in radians. */
const orbitSpeed = 3
/** Share of the distance to the target that one tick of the wheel covers. */
const zoomPerTick = 0.2
/** Share of the way to the picked point that the target moves with a tick. */
const zoomPull = 0.1
/** Share of the distance to the target that a key covers in a second. */
const flySpeed = 0.3
/** The camera never looks steeper than this, so that up stays up. */
const steepest = Math.PI / 2 - 0.01
/** Distances from eye to target, in metres. */
const closest = 0.01, farthest = 60

const down: Vec3 = [0, 1, 0]

/** Place is a point on the view, in its pixels from the top left corner. */
export interface Place {
  x: number
  y: number
}

/**
 * Camera is the eye of the 3D view. It starts a metre behind the depth camera and
 * looks ahead, as RealSense Viewer does.
 */
export class Camera {
  eye: Vec3 = [0, 0, -1]
  target: Vec3 = [0, 0, 0]
  /** Size of the view in pixels. */
  width = 1
  height = 1

  reset(): void {
    this.eye = [0, 0, -1]
    this.target = [0, 0, 0]
  }

  /** matrix projects the world to clip space. */
  matrix(): Mat4 {
    return multiply(perspective(fovY, this.width / this.height, near, far), lookAt(this.eye, this.target, this.up()))
  }

  private up(): Vec3 {
    return scale(down, -1)
  }

  private ahead(): Vec3 {
    return normalize(sub(this.target, this.eye))
  }

  private right(): Vec3 {
    return normalize(cross(this.ahead(), this.up()))
  }

  /** orbit turns the eye about the target after a drag by dx, dy pixels. */
  orbit(dx: number, dy: number): void {
    const speed = orbitSpeed / Math.min(this.width, this.height)
    let arm = turned(sub(this.eye, this.target), down, dx * speed)
    const pitch = Math.asin(Math.max(-1, Math.min(1, dot(normalize(arm), down))))
    const wanted = Math.max(-steepest, Math.min(steepest, pitch - dy * speed))
    const right = normalize(cross(scale(arm, -1), this.up()))
    arm = turned(arm, right, pitch - wanted)
    this.eye = add(this.target, arm)
  }

  /** pan moves eye and target so that the target's plane follows the pointer. */
  pan(dx: number, dy: number): void {
    const metres = (2 * Math.tan(fovY / 2) * distance(this.eye, this.target)) / this.height
    const right = this.right()
    const lower = cross(this.ahead(), right)
    this.move(add(scale(right, -dx * metres), lower, -dy * metres))
  }

  /**
   * zoom moves the eye towards the target by a number of ticks, and the target
   * towards the point under the pointer, if any. Ticks in quick
   * succession move farther: since is the time since the previous one, in ms.
   */
  zoom(ticks: number, picked: Vec3 | null, since: number): void {
    const speed = since < 50 ? 2 : since > 500 ? 0.5 : 1
    if (picked && ticks > 0) this.target = add(this.target, sub(picked, this.target), Math.min(1, zoomPull * ticks))
    const arm = sub(this.eye, this.target)
    const now = length(arm)
    const wanted = Math.max(closest, Math.min(farthest, now * Math.pow(1 - zoomPerTick, ticks * speed)))
    this.eye = add(this.target, arm, wanted / now)
  }

  /** fly moves eye and target: ahead and to the right are -1, 0 or 1. */
  fly(ahead: number, right: number, seconds: number): void {
    const way = flySpeed * Math.max(distance(this.eye, this.target), 0.1) * seconds
    this.move(add(scale(this.ahead(), ahead * way), this.right(), right * way))
  }

  private move(by: Vec3): void {
    this.eye = add(this.eye, by)
    this.target = add(this.target, by)
  }

  /** place returns the position of a point on the view; null if it is behind the eye. */
  place(p: Vec3, matrix: Mat4 = this.matrix()): Place | null {
    const [x, y, , w] = transform(matrix, p)
    if (w < near) return null
    return { x: (x / w / 2 + 0.5) * this.width, y: (0.5 - y / w / 2) * this.height }
  }
}
