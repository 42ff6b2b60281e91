type GL = WebGL2RenderingContext

/** Program is a linked program with its uniforms by name. */
export class Program {
  readonly program: WebGLProgram
  private readonly locations = new Map<string, WebGLUniformLocation | null>()

  constructor(readonly gl: GL, vertex: string, fragment: string) {
    const program = gl.createProgram()
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(type)!
      gl.shaderSource(shader, source)
      gl.compileShader(shader)
      gl.attachShader(program, shader)
      gl.deleteShader(shader)
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
        throw new Error(`compile shader: ${gl.getShaderInfoLog(shader)}`)
      }
    }
    gl.linkProgram(program)
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`link shaders: ${gl.getProgramInfoLog(program)}`)
    }
    this.program = program
  }

  use(): void { this.gl.useProgram(this.program) }

  /** at is a uniform's location, null if the shader doesn't need it. */
  at(name: string): WebGLUniformLocation | null {
    let l = this.locations.get(name)
    if (l === undefined) this.locations.set(name, l = this.gl.getUniformLocation(this.program, name))
    return l
  }
}
