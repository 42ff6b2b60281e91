import { Program } from '../gl/program'
import type { Scene, Stage } from '../gl/stage'
import { imperial } from '../prefs'
import type { StreamView } from '../streams'
import { colours, type Depth, type Picture, points } from './cloud'
import { focal } from './camera'
import { bending, bendsRays, coefficients, type Extrinsics, identity, type Intrinsics, Rays } from './lens'
import type { Mat4 } from './matrix'
import { Overlay } from './overlay'
import { writePLY } from './ply'
import { cloudFragment, cloudVertex } from './shaders'
import { type Listener, Space } from './space'
import { Surroundings } from './surroundings'

/** Shading is how the cloud is drawn. */
export type Shading = 'points' | 'mesh' | 'lit'

/** Texture unit of the depth that makes the points; those before it are Textures.bind's. */
const depthUnit = 4

/** Factor from the gap between points to their size. */
const overlap = 1.2

/** Cloud is the depth stream of another camera. */
export interface Cloud {
  depth: StreamView
  picture: StreamView | null
  /** To the coordinates of the scene's depth; null if it is unknown. */
  place: Extrinsics | null
  tint: Tint
}

/** Tint is the colour of a camera's points: red, green, blue, from 0 to 1. */
export type Tint = readonly [number, number, number]

/** relative returns what maps points of a depth stream to those of another, whose places are in the same coordinates. */
export function relative(from: StreamView, to: StreamView): Extrinsics | null {
  const a = from.info.place, b = to.info.place
  if (!a || !b) return null
  const turned = (v: number[]) => [0, 1, 2].map((i) => b.rotation[3 * i]! * v[0]! + b.rotation[3 * i + 1]! * v[1]! + b.rotation[3 * i + 2]! * v[2]!)
  return {
    rotation: [0, 3, 6].flatMap((column) => turned(a.rotation.slice(column, column + 3))),
    translation: turned(a.translation.map((x, i) => x - b.translation[i]!)),
  }
}

/** extrinsicsOf returns the transform from one stream to another; null if it is unknown. */
export function extrinsicsOf(from: StreamView, to: StreamView): Extrinsics | null {
  return from.info.extrinsics?.[String(to.info.id)] ?? null
}

/** CloudScene draws a depth stream as a cloud in the page's canvas. */
export class CloudScene implements Scene {
  readonly space: Space
  depth: StreamView | null = null
  /** The stream that colours it; null means depth itself. */
  picture: StreamView | null = null
  shading: Shading = 'points'
  /** The depth of other cameras, and the colour of this one; null if it is the only one that is shown. */
  others: Cloud[] = []
  tint: Tint | null = null
  /** Whether to draw the grid, the axes and the camera's view. */
  furniture = true
  /** Number of draws, for tests and figures. */
  drawn = 0
  private program!: Program
  private surroundings!: Surroundings
  private readonly overlay: Overlay
  private rays: { of: Intrinsics; rays: Rays } | null = null

  /** above is a canvas over the page's, for rulers. It throws if that has no context. */
  constructor(private readonly above: HTMLCanvasElement, listener: Listener) {
    const flat = above.getContext('2d')
    if (!flat) throw new Error('no 2D context for rulers')
    this.overlay = new Overlay(flat)
    this.space = new Space(() => this.frame(), listener)
  }

  open(stage: Stage): void {
    this.program = new Program(stage.gl!, cloudVertex, cloudFragment)
    this.surroundings = new Surroundings(stage.gl!)
  }

  /** frame is the depth frame on the screen; its data are valid until the next is shown. */
  frame(): Depth | null {
    const i = this.depth?.info.intrinsics, p = this.depth?.frame?.picture
    if (!i || !p || !(p.pixels instanceof Uint16Array)) return null
    const { width, height } = p
    if (this.rays?.of !== i || this.rays.rays.width !== width || this.rays.rays.height !== height) {
      this.rays = { of: i, rays: new Rays(i, width, height, stepOf(i, width)) }
    }
    return { width, height, data: p.pixels, units: Math.fround(this.depth!.info.depthUnits ?? 0.001), rays: this.rays.rays }
  }

  draw(stage: Stage): boolean {
    const gl = stage.gl!, { camera } = this.space
    camera.width = stage.canvas.clientWidth || 1
    camera.height = stage.canvas.clientHeight || 1
    const scale = stage.canvas.width / camera.width
    if (this.above.width !== stage.canvas.width || this.above.height !== stage.canvas.height) {
      this.above.width = stage.canvas.width
      this.above.height = stage.canvas.height
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
    gl.disable(gl.SCISSOR_TEST)
    gl.disable(gl.BLEND)
    gl.enable(gl.DEPTH_TEST)
    gl.viewport(0, 0, stage.canvas.width, stage.canvas.height)
    gl.clearColor(0.03, 0.04, 0.05, 1) // dark in every theme, as pictures are
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT)
    const matrix = camera.matrix()
    if (this.depth) this.cloud(stage, this.depth, this.picture, matrix, identity, this.tint)
    for (const c of this.others) this.cloud(stage, c.depth, c.picture, matrix, c.place ?? identity, c.tint)
    if (this.furniture) {
      this.surroundings.furnish(imperial.peek(), this.depth?.info.intrinsics ?? null)
      this.surroundings.draw(matrix, 2 * scale)
    }
    gl.disable(gl.DEPTH_TEST)
    this.space.drawOver(this.overlay, scale)
    this.drawn++
    return false
  }

  private cloud(stage: Stage, depth: StreamView, picture: StreamView | null, camera: Mat4, place: Extrinsics, tint: Tint | null): void {
    const gl = stage.gl!, p = this.program, i = depth.info.intrinsics, u = stage.textures.get(depth)
    if (!i || !u || u.layout !== 'depth') return
    const mesh = this.shading !== 'points', units = depth.info.depthUnits ?? 0.001
    p.use()
    this.paint(stage, depth, picture)
    gl.uniformMatrix3fv(p.at('placeTurn'), false, place.rotation)
    gl.uniform3fv(p.at('placeShift'), place.translation)
    gl.uniform4f(p.at('tint'), ...(tint ?? [0, 0, 0]) as Tint, tint ? 0.8 : 0)
    gl.activeTexture(gl.TEXTURE0 + depthUnit)
    gl.bindTexture(gl.TEXTURE_2D, u.texture)
    gl.uniform1i(p.at('depth'), depthUnit)
    gl.uniform2i(p.at('size'), u.width, u.height)
    gl.uniform1f(p.at('pixelStep'), stepOf(i, u.width))
    gl.uniform1f(p.at('units'), units)
    gl.uniform4f(p.at('depthLens'), i.fx, i.fy, i.ppx, i.ppy)
    gl.uniform1fv(p.at('depthCoeffs'), coefficients(i))
    gl.uniform1i(p.at('depthBent'), Number(bendsRays(i.model)))
    gl.uniform1i(p.at('mesh'), Number(mesh))
    gl.uniform1i(p.at('lit'), Number(this.shading === 'lit'))
    gl.uniform1f(p.at('pointSize'), Math.max(1, Math.sqrt(stage.canvas.width / u.width)))
    gl.uniform1f(p.at('spacing'), (overlap * stage.canvas.height * focal * stepOf(i, u.width)) / (2 * i.fx))
    gl.uniformMatrix4fv(p.at('camera'), false, camera)
    gl.bindVertexArray(null)
    const count = mesh ? 6 * (u.width - 1) * (u.height - 1) : u.width * u.height
    gl.drawArrays(mesh ? gl.TRIANGLES : gl.POINTS, 0, count)
  }

  /** paint sets the stream that colours the cloud; until it has a frame, depth does. */
  private paint(stage: Stage, depth: StreamView, picture: StreamView | null): void {
    const gl = stage.gl!, p = this.program
    const seen = picture && stage.textures.get(picture), e = picture && extrinsicsOf(depth, picture)
    const own = !seen || !e || !picture?.info.intrinsics
    const from = own ? depth : picture!, u = stage.textures.get(from)!
    const i = from.info.intrinsics!, { rotation, translation } = own ? identity : e
    stage.textures.bind(p, u, stage.look, depth.info.depthUnits ?? 0.001)
    gl.uniform2i(p.at('paintSize'), u.width, u.height)
    gl.uniform1i(p.at('ownColour'), Number(own))
    gl.uniformMatrix3fv(p.at('turn'), false, rotation)
    gl.uniform3fv(p.at('shift'), translation)
    gl.uniform4f(p.at('pictureLens'), i.fx, i.fy, i.ppx, i.ppy)
    gl.uniform1fv(p.at('pictureCoeffs'), coefficients(i))
    gl.uniform1i(p.at('pictureBending'), bending(i.model))
    gl.uniform2f(p.at('pictureSize'), i.width, i.height)
  }

  /** ply returns a PLY file of the frames on the screen; null if there is none. painted is the picture as red, green, blue, unused. */
  ply(mesh: boolean, painted: Uint8Array | Uint8ClampedArray | null): Uint8Array<ArrayBuffer> | null {
    const d = this.frame()
    if (!d) return null
    const xyz = points(d), seen = this.pictureFrame(painted)
    return writePLY({ width: d.width, height: d.height, xyz, mesh, rgb: seen ? colours(xyz, seen) : undefined })
  }

  private pictureFrame(rgba: Uint8Array | Uint8ClampedArray | null): Picture | null {
    const v = this.picture, p = v?.frame?.picture, extrinsics = v && this.depth && extrinsicsOf(this.depth, v)
    if (!rgba || !p || !extrinsics || !v.info.intrinsics) return null
    return { width: p.width, height: p.height, rgba, intrinsics: v.info.intrinsics, extrinsics }
  }
}

/** stepOf returns the distance between neighbouring pixels of a decimated frame, in pixels of the sensor. */
const stepOf = (i: Intrinsics, width: number): number => Math.max(1, Math.round(i.width / width))
