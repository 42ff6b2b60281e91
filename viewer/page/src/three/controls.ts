import type { Place } from './camera'
import type { Space } from './space'

/** A press that moves farther than this is a drag, in pixels. */
const clickSlack = 4

/** Pixels or lines per tick, for wheels that report these. */
const pixelsPerTick = 100, linesPerTick = 3

/** Keys that fly, by their position on the keyboard: ahead and right. */
const flights: Record<string, readonly [number, number]> = { KeyW: [1, 0], KeyS: [-1, 0], KeyA: [0, -1], KeyD: [0, 1] }

/**
 * Controls steer a space by pointer, wheel and keys: left drag orbits, middle or
 * right drag (or Ctrl and left, or two fingers) pans, the wheel (or pinching)
 * zooms, W A S D fly, R resets, Z undoes a ruler. All of it stops with close.
 */
export class Controls {
  private readonly pointers = new Map<number, Place>()
  private readonly keys = new Set<string>()
  private readonly stop = new AbortController()
  private start: Place | null = null
  private mode: 'orbit' | 'pan' | 'knob' | null = null
  private moved = false
  private lastWheel = 0
  private flying = 0
  private lastFlight = 0

  constructor(private readonly space: Space, private readonly element: HTMLElement) {
    const signal = this.stop.signal
    element.addEventListener('pointerdown', (e) => this.down(e), { signal })
    element.addEventListener('pointermove', (e) => this.move(e), { signal })
    element.addEventListener('pointerup', (e) => this.up(e), { signal })
    element.addEventListener('pointercancel', (e) => this.up(e), { signal })
    element.addEventListener('pointerleave', () => space.hover(null), { signal })
    element.addEventListener('contextmenu', (e) => e.preventDefault(), { signal })
    element.addEventListener('wheel', (e) => this.wheel(e), { signal, passive: false })
    addEventListener('keyup', (e) => this.keys.delete(e.code), { signal })
    addEventListener('blur', () => this.keys.clear(), { signal })
  }

  close(): void {
    this.stop.abort()
    cancelAnimationFrame(this.flying)
  }

  private place(e: MouseEvent): Place {
    const box = this.element.getBoundingClientRect()
    return { x: e.clientX - box.left, y: e.clientY - box.top }
  }

  private down(e: PointerEvent): void {
    const at = this.place(e)
    this.element.setPointerCapture(e.pointerId)
    this.pointers.set(e.pointerId, at)
    this.start = at
    this.moved = false
    if (this.pointers.size > 1) {
      this.space.drop(false)
      this.mode = 'pan'
      this.moved = true
    } else if (e.button !== 0 || e.ctrlKey) {
      this.mode = 'pan'
    } else {
      this.mode = this.space.grab(at) ? 'knob' : 'orbit'
    }
  }

  private move(e: PointerEvent): void {
    const at = this.place(e)
    const before = this.pointers.get(e.pointerId)
    if (!before || !this.start) {
      this.space.hover(at)
      return
    }
    if (!this.moved && Math.hypot(at.x - this.start.x, at.y - this.start.y) < clickSlack) return
    this.moved = true
    const spread = this.spread()
    this.pointers.set(e.pointerId, at)
    const share = 1 / this.pointers.size
    const dx = (at.x - before.x) * share, dy = (at.y - before.y) * share
    if (this.mode === 'orbit') this.space.camera.orbit(dx, dy)
    if (this.mode === 'pan') this.space.camera.pan(dx, dy)
    if (spread > 0) this.space.camera.zoom((this.spread() - spread) / 40, null, 100)
    this.space.hover(this.mode === 'knob' ? at : null)
  }

  /** spread is the distance between two fingers, 0 unless there are two. */
  private spread(): number {
    const [a, b] = [...this.pointers.values()]
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0
  }

  private up(e: PointerEvent): void {
    const at = this.place(e)
    if (!this.pointers.delete(e.pointerId) || this.pointers.size > 0) return
    this.space.drop(this.moved)
    if (!this.moved && e.type === 'pointerup' && e.button === 0 && !e.ctrlKey) {
      this.space.chain = e.shiftKey
      this.space.click(at)
    }
    this.mode = this.start = null
    this.space.hover(at)
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault()
    const perTick = e.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? pixelsPerTick : linesPerTick
    const at = this.place(e)
    const point = this.space.pick(at)?.point ?? null
    this.space.camera.zoom(-e.deltaY / perTick, point, e.timeStamp - this.lastWheel)
    this.lastWheel = e.timeStamp
    this.space.hover(at)
  }

  /** key handles a key pressed outside fields, and reports whether it did. */
  key(e: KeyboardEvent): boolean {
    this.space.chain = e.shiftKey
    if (e.ctrlKey || e.metaKey || e.altKey) return false
    if (e.code in flights) {
      this.keys.add(e.code)
      this.fly()
      return true
    }
    switch (e.key.toLowerCase()) {
      case 'r':
        this.space.camera.reset()
        this.space.changed()
        return true
      case 'z':
        this.space.undo()
        return true
      case 'm':
        this.space.measure(!this.space.measuring)
        return true
    }
    return false
  }

  /** fly moves while keys are held. */
  private fly(): void {
    if (this.flying) return
    this.lastFlight = performance.now()
    const step = (now: number) => {
      this.flying = 0
      const seconds = Math.max(0, Math.min(0.1, (now - this.lastFlight) / 1000))
      this.lastFlight = now
      for (const k of this.keys) {
        const [ahead, right] = flights[k]!
        this.space.camera.fly(ahead, right, seconds)
      }
      this.space.changed()
      if (this.keys.size) this.flying = requestAnimationFrame(step)
    }
    this.flying = requestAnimationFrame(step)
  }
}
