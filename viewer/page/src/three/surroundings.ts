import { Program } from '../gl/program'
import { axes, frustum, grid, lineNumbers, Lines } from './furniture'
import type { Intrinsics } from './lens'
import type { Mat4 } from './matrix'
import { freeFragment, freeVertex } from './shaders'

type GL = WebGL2RenderingContext

const foot = 0.3048 // m

/** Vertices is a buffer of positions and colours: x, y, z, red, green, blue, alpha. */
interface Vertices { array: WebGLVertexArrayObject; buffer: WebGLBuffer; count: number }

/** Surroundings draws everything but the depth frame: points of messages, and grid, axes and the camera's view. */
export class Surroundings {
  private readonly program: Program
  private readonly points: Vertices
  private readonly lines: Vertices
  private furnished = ''

  constructor(private readonly gl: GL) {
    this.program = new Program(gl, freeVertex, freeFragment)
    this.points = vertices(gl)
    this.lines = vertices(gl)
  }

  /** setPoints replaces the points. */
  setPoints(values: Float32Array): void { fill(this.gl, this.points, values) }

  /** furnish rebuilds the lines if their content has changed. lens is the depth camera's, if there is one. */
  furnish(imperial: boolean, lens: Intrinsics | null): void {
    const wanted = JSON.stringify([imperial, lens])
    if (wanted === this.furnished) return
    const l = new Lines()
    grid(l, imperial ? 3 * foot : 1)
    axes(l)
    if (lens) frustum(l, lens)
    fill(this.gl, this.lines, l.array)
    this.furnished = wanted
  }

  /** draw draws over the picture, with points of the given size in pixels. */
  draw(camera: Mat4, size: number): void {
    const { gl, program } = this
    program.use()
    gl.uniformMatrix4fv(program.at('camera'), false, camera)
    gl.uniform1f(program.at('pointSize'), Math.max(1, size))
    gl.bindVertexArray(this.points.array)
    gl.drawArrays(gl.POINTS, 0, this.points.count)
    gl.enable(gl.BLEND)
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
    gl.bindVertexArray(this.lines.array)
    gl.drawArrays(gl.LINES, 0, this.lines.count)
    gl.disable(gl.BLEND)
    gl.bindVertexArray(null)
  }
}

function vertices(gl: GL): Vertices {
  const array = gl.createVertexArray(), buffer = gl.createBuffer()
  gl.bindVertexArray(array)
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
  gl.enableVertexAttribArray(0)
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 4 * lineNumbers, 0)
  gl.enableVertexAttribArray(1)
  gl.vertexAttribPointer(1, 4, gl.FLOAT, false, 4 * lineNumbers, 12)
  gl.bindVertexArray(null)
  return { array, buffer, count: 0 }
}

function fill(gl: GL, v: Vertices, values: Float32Array): void {
  gl.bindBuffer(gl.ARRAY_BUFFER, v.buffer)
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW)
  v.count = values.length / lineNumbers
}
