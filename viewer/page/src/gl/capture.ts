import type { Stage } from './stage'
import type { StreamView } from '../streams'
import { Program } from './program'
import { flatFragment } from './flat'
import { cover } from './shaders'

const programs = new WeakMap<WebGL2RenderingContext, Program>()

/** capture draws a stream's picture at its own size, coloured as on the screen, and reads it back. */
export function capture(stage: Stage, view: StreamView): ImageData | null {
  const { gl } = stage, u = stage.textures?.get(view)
  if (!gl || !u) return null
  let program = programs.get(gl)
  if (!program || !gl.isProgram(program.program)) programs.set(gl, program = new Program(gl, cover, flatFragment))
  const { width, height } = u
  const framebuffer = gl.createFramebuffer(), target = gl.createRenderbuffer()
  gl.bindRenderbuffer(gl.RENDERBUFFER, target)
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height)
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer)
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, target)
  gl.viewport(0, 0, width, height)
  gl.disable(gl.SCISSOR_TEST)
  gl.disable(gl.DEPTH_TEST)
  gl.disable(gl.BLEND)
  program.use()
  stage.textures.bind(program, u, stage.look, view.info.depthUnits ?? 0.001)
  gl.uniform4f(program.at('uPart'), 0, 0, width, height)
  gl.uniform2i(program.at('uSize'), width, height)
  gl.drawArrays(gl.TRIANGLES, 0, 3)
  const up = new Uint8Array(4 * width * height), image = new ImageData(width, height)
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, up)
  gl.bindFramebuffer(gl.FRAMEBUFFER, null)
  gl.deleteFramebuffer(framebuffer)
  gl.deleteRenderbuffer(target)
  for (let y = 0; y < height; y++) image.data.set(up.subarray(4 * width * (height - 1 - y), 4 * width * (height - y)), 4 * width * y)
  return image
}
