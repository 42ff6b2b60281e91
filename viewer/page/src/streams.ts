import { signal } from '@preact/signals'
import type { Divisor, Stream } from './proto/messages'
import type { Frame } from './proto/frames'
import { Rate } from './fps'
import { shortName } from './format'

/** Counters of one subscription: given = sent + skippedServer, sent = received = drawn + skippedWorker + skippedRender + in flight. */
export interface Counters {
  received: number
  drawn: number
  skippedServer: number
  skippedWorker: number
  skippedRender: number
}

const zero = (): Counters => ({ received: 0, drawn: 0, skippedServer: 0, skippedWorker: 0, skippedRender: 0 })

/**
 * StreamView is a stream with its newest frame. Frames come 30 times a second, so
 * they aren't signals: use onDraw, and read the fields.
 */
export class StreamView {
  /** The frame on the screen, null before the first. Its pixels are valid until the next frame is drawn. */
  frame: Frame | null = null
  /** The newest frame, if it hasn't been drawn. */
  next: Frame | null = null
  counters = zero()
  readonly rate = new Rate()
  /** ms from the frame's arrival at the node to its draw call, smoothed; null before the first. */
  latency: number | null = null
  /** When the newest frame was received, ms of performance.now(). */
  lastAt = 0
  /** Why a frame couldn't be decoded; shown in the tile. */
  readonly error = signal('')
  /** Number of subscriptions so far; frames of an earlier one are void. */
  epoch = 0
  /** Draws since the page was opened; changes when a frame is drawn. */
  version = 0

  private readonly wants = new Map<object, Divisor>()
  private readonly listeners = new Set<(frame: Frame) => void>()

  constructor(readonly info: Stream, private readonly changed: (view: StreamView) => void) {}

  /** key is the name that no other stream of the source has, and title the same for people. */
  get key(): string { return this.info.camera ? `${this.info.camera}/${this.info.name}` : this.info.name }
  get title(): string { return [this.info.camera, shortName(this.info.name)].filter(Boolean).join(' ') }
  get isDepth(): boolean { return this.info.format === 'Z16' || this.frame?.picture?.layout === 'depth' }
  get sensorKey(): string { return this.info.sensor < 0 ? `topic ${this.info.id}` : `sensor ${this.info.sensor}` }

  /** want subscribes on behalf of who, until release. The smallest divisor wins. */
  want(who: object, divisor: Divisor = 1): void {
    if (this.wants.get(who) === divisor) return
    this.wants.set(who, divisor)
    this.changed(this)
  }

  release(who: object): void {
    if (this.wants.delete(who)) this.changed(this)
  }

  get wanted(): boolean { return this.wants.size > 0 }
  get divisor(): Divisor { return Math.min(4, ...this.wants.values()) as Divisor }

  /** onDraw calls f for each frame that is shown, motion included. It returns a function that stops the calls. */
  onDraw(f: (frame: Frame) => void): () => void {
    this.listeners.add(f)
    return () => { this.listeners.delete(f) }
  }

  /** shown notifies the listeners; the link and the stage call it. */
  shown(frame: Frame): void {
    this.version++
    for (const f of this.listeners) f(frame)
  }

  /** restart clears the counters for a new subscription. */
  restart(): void {
    this.epoch++
    this.counters = zero()
    this.rate.clear()
    this.next = null
  }
}
