import { plain, values } from '../depth/fractions'
import { table } from '../depth/maps'
import type { Picture } from '../proto/frames'
import type { StreamView } from '../streams'
import { layoutNumber } from './shaders'
import type { Program } from './program'

type GL = WebGL2RenderingContext

/** Uploaded is a stream's newest picture on the GPU. */
export interface Uploaded {
  layout: Picture['layout']
  width: number
  height: number
  /** R16UI for depth and y16, R8, RG8, RGB8 or RGBA8 otherwise. */
  texture: WebGLTexture
  /** R32F, 256 × 256: the fractions of the colour map when it is equalised. */
  fractions: WebGLTexture | null
  /** Whether fractions are those of this picture. */
  equalised: boolean
}

/** Look is how depth is coloured. */
export interface Look { map: number; equalise: boolean; min: number; max: number }

/** Textures holds each stream's textures. It is invalid after a lost context. */
export class Textures {
  private readonly of = new Map<StreamView, Uploaded>()
  private readonly maps = new Map<number, { texture: WebGLTexture; entries: number }>()
  private readonly ranges = new Map<string, WebGLTexture>()
  private readonly framebuffer: WebGLFramebuffer
  private readonly none: WebGLTexture
  private readonly noneWhole: WebGLTexture

  constructor(readonly gl: GL) {
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1)
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE)
    this.framebuffer = gl.createFramebuffer()
    this.none = this.create(gl.RGBA8, 1, 1)
    this.noneWhole = this.create(gl.R16UI, 1, 1)
  }

  get(view: StreamView): Uploaded | undefined { return this.of.get(view) }

  /** keep deletes the textures of all streams but these. */
  keep(views: ReadonlySet<StreamView>): void {
    for (const [view, u] of this.of) {
      if (views.has(view)) continue
      this.gl.deleteTexture(u.texture)
      this.gl.deleteTexture(u.fractions)
      this.of.delete(view)
    }
  }

  /** upload copies a picture to the stream's texture. */
  upload(view: StreamView, p: Picture): Uploaded {
    const { gl } = this
    let u = this.of.get(view)
    const [internal, format, type] = this.formats(p.layout)
    if (!u || u.layout !== p.layout || u.width !== p.width || u.height !== p.height) {
      if (u) {
        gl.deleteTexture(u.texture)
        gl.deleteTexture(u.fractions)
      }
      u = { layout: p.layout, width: p.width, height: p.height, texture: this.create(internal, p.width, p.height), fractions: null, equalised: false }
      this.of.set(view, u)
    }
    gl.bindTexture(gl.TEXTURE_2D, u.texture)
    if (p.pixels instanceof ImageBitmap) {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, format, type, p.pixels)
    } else {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, p.width, p.height, format, type, p.pixels)
    }
    u.equalised = p.fractions !== undefined
    if (p.fractions) {
      u.fractions ??= this.create(gl.R32F, 256, 256)
      this.fill(u.fractions, p.fractions)
    }
    return u
  }

  /**
   * bind sets the textures and uniforms of the current program for
   * shaders.ts's colourOf. It uses texture units first to first + 3.
   */
  bind(program: Program, u: Uploaded, look: Look, units: number, first = 0): void {
    const { gl } = this
    const whole = u.layout === 'depth' || u.layout === 'y16'
    const map = this.map(look.map)
    let fractions: WebGLTexture = this.none
    if (u.layout === 'depth') {
      fractions = look.equalise && u.equalised && u.fractions ? u.fractions : this.range(units, look.equalise ? 0 : look.min, look.equalise ? 6 : look.max)
    }
    this.unit(program, 'uWhole', whole ? u.texture : this.noneWhole, first)
    this.unit(program, 'uColour', whole ? this.none : u.texture, first + 1)
    this.unit(program, 'uFractions', fractions, first + 2)
    this.unit(program, 'uMap', map.texture, first + 3)
    gl.uniform1i(program.at('uLayout'), layoutNumber[u.layout])
    gl.uniform1i(program.at('uEntries'), map.entries)
  }

  /** whole reads a depth or y16 texture back as RGBA_INTEGER, 4 numbers per pixel. For tests. */
  whole(u: Uploaded): Uint32Array {
    const { gl } = this, out = new Uint32Array(4 * u.width * u.height)
    this.attach(u)
    gl.readPixels(0, 0, u.width, u.height, gl.RGBA_INTEGER, gl.UNSIGNED_INT, out)
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
    return out
  }

  /** pixel reads back one pixel of a texture with normalized values, as RGBA. */
  pixel(u: Uploaded, x: number, y: number): Uint8Array {
    return this.bytes(u, x, y, 1, 1)
  }

  /** bytes reads back part of a texture with normalized values, as RGBA. */
  bytes(u: Uploaded, x: number, y: number, width: number, height: number): Uint8Array {
    const { gl } = this, out = new Uint8Array(4 * width * height)
    this.attach(u)
    gl.readPixels(x, y, width, height, gl.RGBA, gl.UNSIGNED_BYTE, out)
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
    return out
  }

  private attach(u: Uploaded): void {
    const { gl } = this
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.framebuffer)
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, u.texture, 0)
  }

  private formats(layout: Picture['layout']): [number, number, number] {
    const { gl } = this
    switch (layout) {
      case 'depth': case 'y16': return [gl.R16UI, gl.RED_INTEGER, gl.UNSIGNED_SHORT]
      case 'y8': return [gl.R8, gl.RED, gl.UNSIGNED_BYTE]
      case 'rgb8': case 'bgr8': return [gl.RGB8, gl.RGB, gl.UNSIGNED_BYTE]
      case 'yuyv': case 'uyvy': return [gl.RG8, gl.RG, gl.UNSIGNED_BYTE]
      default: return [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE]
    }
  }

  private create(internal: number, width: number, height: number): WebGLTexture {
    const { gl } = this, t = gl.createTexture()
    gl.bindTexture(gl.TEXTURE_2D, t)
    gl.texStorage2D(gl.TEXTURE_2D, 1, internal, width, height)
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST)
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
    return t
  }

  private fill(t: WebGLTexture, fractions: Float32Array): void {
    const { gl } = this
    gl.bindTexture(gl.TEXTURE_2D, t)
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 256, gl.RED, gl.FLOAT, fractions)
  }

  private map(number: number): { texture: WebGLTexture; entries: number } {
    let m = this.maps.get(number)
    if (m) return m
    const { gl } = this, colours = table(number), entries = colours.length / 4, rows = Math.ceil(entries / 64)
    const padded = new Uint8Array(4 * 64 * rows)
    padded.set(colours)
    const texture = this.create(gl.RGBA8, 64, rows)
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 64, rows, gl.RGBA, gl.UNSIGNED_BYTE, padded)
    this.maps.set(number, m = { texture, entries })
    return m
  }

  private range(units: number, min: number, max: number): WebGLTexture {
    const key = `${units} ${min} ${max}`
    let t = this.ranges.get(key)
    if (t) return t
    if (this.ranges.size >= 4) {
      const [old, texture] = this.ranges.entries().next().value!
      this.gl.deleteTexture(texture)
      this.ranges.delete(old)
    }
    const fractions = new Float32Array(values)
    plain(units, min, max, fractions)
    t = this.create(this.gl.R32F, 256, 256)
    this.fill(t, fractions)
    this.ranges.set(key, t)
    return t
  }

  private unit(program: Program, name: string, texture: WebGLTexture, unit: number): void {
    const { gl } = this, at = program.at(name)
    if (at === null) return
    gl.activeTexture(gl.TEXTURE0 + unit)
    gl.bindTexture(gl.TEXTURE_2D, texture)
    gl.uniform1i(at, unit)
  }
}
