// One canvas and one WebGL2 context for everything that is drawn: the tiles'
// pictures in 2D, or the 3D scene. It uploads each stream's newest frame once per
// animation frame, lets the scene draw, and then gives the credit back.
import { effect, signal } from '@preact/signals'
import * as store from '../store'
import { colourMap, equalise, maxDistance, minDistance } from '../prefs'
import type { Link } from '../link'
import type { StreamView } from '../streams'
import { Textures, type Look } from './textures'

/** Scene draws the whole canvas. The objects it creates belong to the context passed to open. */
export interface Scene {
  /** open creates programs. It is called before the first draw, and again after a lost context was restored. */
  open(stage: Stage): void
  /**
   * draw is called when frames were uploaded (changed), or after
   * Stage.redraw (changed is empty). It returns true to be called again in the
   * next animation frame.
   */
  draw(stage: Stage, changed: ReadonlySet<StreamView>): boolean
}

/** noGL is why nothing can be drawn, or empty. */
export const noGL = signal('')

export class Stage {
  readonly gl: WebGL2RenderingContext | null
  textures!: Textures
  private scene: Scene | null = null
  private opened: Scene | null = null
  private asked = 0
  private all = true

  constructor(readonly canvas: HTMLCanvasElement, private readonly link: Link) {
    this.gl = canvas.getContext('webgl2', { alpha: true, antialias: false, depth: true, preserveDrawingBuffer: true, powerPreference: 'high-performance' })
    if (!this.gl) {
      noGL.value = 'no WebGL2'
      return
    }
    this.textures = new Textures(this.gl)
    link.onFrames = () => this.ask()
    canvas.addEventListener('webglcontextlost', (e) => {
      e.preventDefault()
      noGL.value = 'lost'
    })
    canvas.addEventListener('webglcontextrestored', () => {
      this.textures = new Textures(this.gl!)
      this.opened = null
      noGL.value = ''
      for (const view of store.views.peek().values()) if (view.frame?.picture) this.textures.upload(view, view.frame.picture)
      this.redraw()
    })
    effect(() => {
      this.textures.keep(new Set(store.views.value.values()))
      this.redraw()
    })
    effect(() => {
      void [colourMap.value, equalise.value, minDistance.value, maxDistance.value]
      this.redraw()
    })
  }

  /** show selects the scene that draws. */
  show(scene: Scene): void {
    this.scene = scene
    this.opened = null
    this.redraw()
  }

  /** redraw draws everything in the next animation frame. */
  redraw(): void {
    this.all = true
    this.ask()
  }

  get look(): Look {
    return { map: colourMap.peek(), equalise: equalise.peek(), min: minDistance.peek(), max: maxDistance.peek() }
  }

  /** resize makes the canvas as large as its element, and redraws the scene if the size changed. */
  resize(): void {
    const ratio = Math.min(devicePixelRatio, 2)
    const width = Math.round(this.canvas.clientWidth * ratio), height = Math.round(this.canvas.clientHeight * ratio)
    if (this.canvas.width === width && this.canvas.height === height) return
    this.canvas.width = width
    this.canvas.height = height
    this.all = true
    this.frame()
  }

  private ask(): void {
    if (this.asked === 0) this.asked = requestAnimationFrame(() => this.frame())
  }

  private frame(): void {
    cancelAnimationFrame(this.asked)
    this.asked = 0
    const { gl, scene } = this
    if (!gl || !scene || gl.isContextLost()) return this.giveUp()
    if (this.opened !== scene) {
      scene.open(this)
      this.opened = scene
      this.all = true
    }
    const fresh = new Set<StreamView>()
    for (const view of store.views.peek().values()) {
      if (!view.next?.picture) continue
      this.link.recycle(view.frame)
      view.frame = view.next
      view.next = null
      this.textures.upload(view, view.frame.picture!)
      fresh.add(view)
    }
    const again = scene.draw(this, this.all ? new Set() : fresh)
    this.all = false
    for (const view of fresh) this.drawn(view)
    if (again) this.redraw()
  }

  /** giveUp counts frames that can't be drawn as left out, so that nothing waits for them. */
  private giveUp(): void {
    for (const view of store.views.peek().values()) {
      if (!view.next) continue
      view.counters.skippedRender++
      this.link.credit(view, view.next.head.seq)
      this.link.recycle(view.next)
      view.next = null
    }
  }

  private drawn(view: StreamView): void {
    const frame = view.frame!
    view.counters.drawn++
    const now = performance.timeOrigin + performance.now() + store.clockOffset.peek()
    const latency = now - Number(frame.head.stamp / 1000n) / 1000
    view.latency = view.latency === null ? latency : view.latency + (latency - view.latency) * 0.2
    this.link.credit(view, frame.head.seq)
    view.shown(frame)
  }
}
