// The 2D scene: each tile's picture at its place on the canvas.
import type { Scene, Stage } from './stage'
import type { StreamView } from '../streams'
import { Program } from './program'
import { colourOf, cover } from './shaders'
import { fit, type Rect } from '../grid'
import { viewOf } from '../zoom'

/** flatFragment draws part of a picture over the whole viewport. */
export const flatFragment = `#version 300 es
precision highp float;
precision highp int;
${colourOf}
in vec2 vAt;
uniform vec4 uPart;  // of the picture that is seen: x, y, width, height in pixels
uniform ivec2 uSize; // of the picture
out vec4 oColour;
void main() {
  ivec2 p = clamp(ivec2(floor(uPart.xy + vAt * uPart.zw)), ivec2(0), uSize - 1);
  oColour = vec4(colourOf(p), 1.0);
}`

/** Place is where a tile's body is, in CSS pixels from the canvas's top left. */
export interface Place { view: StreamView; body: Rect }

/** pictureIn is where a tile's picture is within its body. */
export function pictureIn(view: StreamView, body: Rect): Rect {
  const { width, height } = view.info.width && view.info.height ? view.info : view.frame?.picture ?? { width: 4, height: 3 }
  return fit(width / height, body)
}

export class Flat implements Scene {
  /** Where tiles are; the grid sets it and asks for a redraw. */
  places: Place[] = []
  private program!: Program

  open(stage: Stage): void { this.program = new Program(stage.gl!, cover, flatFragment) }

  draw(stage: Stage, changed: ReadonlySet<StreamView>): boolean {
    const gl = stage.gl!, { canvas } = stage
    const ratio = canvas.width / (canvas.clientWidth || 1)
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
    gl.disable(gl.DEPTH_TEST)
    gl.disable(gl.BLEND)
    if (changed.size === 0) {
      gl.disable(gl.SCISSOR_TEST)
      gl.clearColor(0, 0, 0, 0)
      gl.clear(gl.COLOR_BUFFER_BIT)
    }
    gl.enable(gl.SCISSOR_TEST)
    if (changed.size === 0) this.backs(gl, canvas.height, ratio)
    this.program.use()
    for (const { view, body } of this.places) {
      if (changed.size > 0 && !changed.has(view)) continue
      const u = stage.textures.get(view)
      if (!u) continue
      const r = pictureIn(view, body)
      const x = Math.round(r.x * ratio), width = Math.round(r.width * ratio), height = Math.round(r.height * ratio)
      const y = canvas.height - Math.round(r.y * ratio) - height
      gl.viewport(x, y, width, height)
      gl.scissor(x, y, width, height)
      stage.textures.bind(this.program, u, stage.look, view.info.depthUnits ?? 0.001)
      const part = viewOf(view)
      gl.uniform4f(this.program.at('uPart'), part.x * u.width, part.y * u.height, part.width * u.width, part.height * u.height)
      gl.uniform2i(this.program.at('uSize'), u.width, u.height)
      gl.drawArrays(gl.TRIANGLES, 0, 3)
    }
    gl.disable(gl.SCISSOR_TEST)
    return false
  }

  /** backs fills the area around the pictures. */
  private backs(gl: WebGL2RenderingContext, height: number, ratio: number): void {
    gl.clearColor(0.027, 0.035, 0.047, 1)
    for (const { view, body: r } of this.places) {
      if (view.info.kind !== 'video' && !view.frame?.picture) continue
      const y = Math.round(r.y * ratio), h = Math.round((r.y + r.height) * ratio) - y
      gl.scissor(Math.round(r.x * ratio), height - y - h, Math.round(r.width * ratio), h)
      gl.clear(gl.COLOR_BUFFER_BIT)
    }
  }
}
