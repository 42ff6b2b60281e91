// Zoom and pan, shared by all tiles of a sensor.
import { signal } from '@preact/signals'
import type { Rect } from './grid'
import type { StreamView } from './streams'

const whole: Rect = { x: 0, y: 0, width: 1, height: 1 }

/** zooms holds the visible part of the picture, 0…1, by StreamView.sensorKey. */
export const zooms = signal<ReadonlyMap<string, Rect>>(new Map())

/** Smallest number of visible pixels in either direction. */
const fewest = 40

export function viewOf(view: StreamView): Rect { return zooms.value.get(view.sensorKey) ?? whole }
export function isZoomed(view: StreamView): boolean { return viewOf(view).width < 1 }

function put(view: StreamView, r: Rect): void {
  const x = Math.min(Math.max(0, r.x), 1 - r.width), y = Math.min(Math.max(0, r.y), 1 - r.height)
  zooms.value = new Map(zooms.value).set(view.sensorKey, { ...r, x, y })
}

/** zoomAt scales the visible part (factor below 1 zooms in) about the point at, 0…1 of the tile's picture. */
export function zoomAt(view: StreamView, at: { x: number; y: number }, factor: number): void {
  const r = viewOf(view), { width, height } = view.info
  const least = Math.min(1, Math.max(fewest / (width || fewest), fewest / (height || fewest)))
  const size = Math.min(1, Math.max(least, r.width * factor))
  put(view, { x: r.x + at.x * (r.width - size), y: r.y + at.y * (r.height - size), width: size, height: size })
}

/** pan moves the visible part by a fraction of the tile's picture. */
export function pan(view: StreamView, dx: number, dy: number): void {
  const r = viewOf(view)
  put(view, { ...r, x: r.x - dx * r.width * 1.1, y: r.y - dy * r.height * 1.1 })
}

export function resetZoom(view: StreamView): void {
  const next = new Map(zooms.value)
  next.delete(view.sensorKey)
  zooms.value = next
}
