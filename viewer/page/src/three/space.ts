import { Camera, type Place } from './camera'
import type { Depth } from './cloud'
import { clear, click, drag, grab, type Knob, type Measuring, nothing, undo, type Units } from './measure'
import { knobAt, Overlay } from './overlay'
import { pick, type Picked } from './pick'

/** Distance up to which points are under the pointer, in pixels of the view. */
const pickRadius = 8

/** Listener receives the events of a space. */
export interface Listener {
  /** changed requests a redraw. */
  changed(): void
  /** hovered is called after each draw with the point under the pointer, or null. */
  hovered?(p: Picked | null): void
  /** measured is called when rulers have changed. */
  measured?(m: Measuring): void
}

/**
 * Space is the state of a 3D view: the camera, the point under the pointer
 * and the rulers. Its owner draws when it has changed.
 */
export class Space {
  readonly camera = new Camera()
  units: Units = 'metric'
  measuring = false
  /** Whether the next click continues the last ruler. */
  chain = false
  rulers: Measuring = nothing
  private pointer: Place | null = null
  private held: Knob | null = null

  /** depth returns the frame on the screen, or null. */
  constructor(private readonly depth: () => Depth | null, private readonly listener: Listener) {}

  changed(): void { this.listener.changed() }

  /** pick returns the point at a position of the view. */
  pick(at: Place): Picked | null {
    const d = this.depth()
    return d && pick(d, this.camera, at.x, at.y, pickRadius)
  }

  /** hover sets the pointer's position, null outside the view. A grabbed point follows it. */
  hover(at: Place | null): void {
    this.pointer = at
    if (this.held && at) {
      const p = this.pick(at)
      if (p) this.update(drag(this.rulers, this.held, p.point))
    }
    this.changed()
  }

  /** click sets a point of a ruler, if measuring is on. */
  click(at: Place): void {
    if (!this.measuring) return
    const p = this.pick(at)
    if (p) this.update(click(this.rulers, p.point, this.chain, knobAt(this.camera, this.rulers, at)))
  }

  /** grab begins to drag the point of a ruler under a place, and says whether there is one. */
  grab(at: Place): boolean {
    this.held = this.measuring ? knobAt(this.camera, this.rulers, at) : null
    if (this.held) this.rulers = grab(this.rulers)
    return this.held !== null
  }

  /** drop ends a drag; one that moved nothing leaves no state. */
  drop(moved: boolean): void {
    if (this.held && !moved) this.rulers = undo(this.rulers)
    this.held = null
  }

  undo(): void { this.update(undo(this.rulers)) }
  clearRulers(): void { this.update(clear(this.rulers)) }

  /** measure switches measuring on or off; rulers stay. */
  measure(on: boolean): void {
    this.measuring = on
    this.update(this.rulers)
  }

  private update(m: Measuring): void {
    this.rulers = m
    this.listener.measured?.(m)
    this.changed()
  }

  /** drawOver draws rulers and the pointer's point; the canvas has scale pixels per pixel of the view. */
  drawOver(overlay: Overlay, scale: number): void {
    const under = this.pointer && !this.held ? this.pick(this.pointer) : null
    const last = this.rulers.rulers[this.rulers.rulers.length - 1]
    const next = this.measuring && last !== undefined && (last.points.length < 2 || this.chain)
    overlay.draw(this.camera, this.rulers, under?.point ?? null, next, this.units, scale)
    this.listener.hovered?.(under)
  }
}
