// The body of a picture's tile: pointer, readout, ruler. The picture itself is
// on the canvas below.
import { effect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { pictureIn } from '../gl/flat'
import type { Rect } from '../grid'
import { showRuler } from '../prefs'
import type { StreamView } from '../streams'
import { useViewer } from '../viewer'
import { isZoomed, pan, viewOf, zoomAt } from '../zoom'
import { distance, shortName } from '../format'
import type { Divisor } from '../proto/messages'
import { readAt, pointed } from './readout'
import { Ruler } from './ruler'
import { useTick } from './tick'
import type { TileProps } from './registry'

/** useSize is an element's size in CSS pixels. */
function useSize(element: { current: HTMLElement | null }): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const e = element.current!
    const measure = () => setSize({ width: e.clientWidth, height: e.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(e)
    return () => observer.disconnect()
  }, [])
  return size
}

/** useSubscription asks for a stream while its tile is there, smaller where it is drawn at half its size or less. */
export function useSubscription(view: StreamView, drawn: number): void {
  const who = useRef({})
  useEffect(() => effect(() => {
    const pixels = drawn * devicePixelRatio / viewOf(view).width, ratio = view.info.width / (pixels || Infinity)
    const divisor: Divisor = ratio >= 4 ? 4 : ratio >= 2 ? 2 : 1
    view.want(who.current, divisor)
  }), [view, drawn])
  useEffect(() => () => view.release(who.current), [view])
}

export function VideoBody({ view }: TileProps) {
  const { stage } = useViewer()
  const element = useRef<HTMLDivElement>(null)
  const size = useSize(element)
  const picture = pictureIn(view, { x: 0, y: 0, ...size })
  useSubscription(view, picture.width)
  const drag = useRef<{ x: number; y: number } | null>(null)
  const place = (e: { clientX: number; clientY: number }) => {
    const box = element.current!.getBoundingClientRect()
    return { x: (e.clientX - box.left - picture.x) / picture.width, y: (e.clientY - box.top - picture.y) / picture.height }
  }
  return (
    <div class="video" ref={element} tabIndex={0} role="application" aria-roledescription="picture"
      onPointerDown={(e) => {
        if (e.button !== 0) return
        drag.current = { x: e.clientX, y: e.clientY }
        e.currentTarget.setPointerCapture(e.pointerId)
      }}
      onPointerMove={(e) => {
        if (drag.current) {
          pan(view, (e.clientX - drag.current.x) / picture.width, (e.clientY - drag.current.y) / picture.height)
          drag.current = { x: e.clientX, y: e.clientY }
        }
        const at = place(e)
        pointed.value = at.x >= 0 && at.x < 1 && at.y >= 0 && at.y < 1 ? { view, ...inPicture(view, at) } : null
      }}
      onPointerUp={() => { drag.current = null }}
      onPointerCancel={() => { drag.current = null }}
      onPointerLeave={() => { pointed.value = null }}
      onWheel={(e) => {
        e.preventDefault()
        const at = place(e)
        zoomAt(view, { x: Math.min(1, Math.max(0, at.x)), y: Math.min(1, Math.max(0, at.y)) }, e.deltaY > 0 ? 1.1 : 1 / 1.1)
      }}
      onKeyDown={(e) => {
        // The arrows belong to the playback bar unless a pixel is being pointed at by keyboard.
        if (e.key !== 'Enter' || e.ctrlKey) return
        pointed.value = pointed.value?.view === view ? null : { view, x: Math.floor(view.info.width / 2), y: Math.floor(view.info.height / 2) }
      }}>
      {view.isDepth && showRuler.value && <Ruler view={view} picture={picture} stage={stage.value!} />}
      {isZoomed(view) && <Thumbnail view={view} picture={picture} />}
      {pointed.value?.view === view && <Readout view={view} picture={picture} />}
    </div>
  )
}

/** inPicture is the pixel of the whole picture at a place of the part that is seen. */
function inPicture(view: StreamView, at: { x: number; y: number }): { x: number; y: number } {
  const part = viewOf(view), p = view.frame?.picture
  const width = view.info.width || p?.width || 0, height = view.info.height || p?.height || 0
  return {
    x: Math.min(width - 1, Math.floor((part.x + at.x * part.width) * width)),
    y: Math.min(height - 1, Math.floor((part.y + at.y * part.height) * height)),
  }
}

function Readout({ view, picture }: { view: StreamView; picture: Rect }) {
  const { stage } = useViewer()
  const near = useRef(false)
  useTick(view, 60)
  const at = pointed.value
  if (!at) return null
  const value = readAt(view, stage.value!, at.x, at.y)
  if (!value) return null
  if (value.metres !== undefined) {
    // Millimetres below 0.2 m, until above 0.3 m again.
    if (value.metres < 0.2) near.current = true
    else if (value.metres > 0.3) near.current = false
  }
  const words = value.metres !== undefined ? `${value.hex} = ${distance(value.metres, near.current)}` : value.hex
  return (
    <output class="readout" style={{ left: `${picture.x}px`, bottom: `calc(100% - ${picture.y + picture.height}px)` }}
      aria-label={shortName(view.info.name)}>
      {at.x}, {at.y} {words}
    </output>
  )
}

/** Thumbnail shows which part of the picture is seen. */
function Thumbnail({ view, picture }: { view: StreamView; picture: Rect }) {
  const part = viewOf(view), width = Math.min(120, picture.width / 4), height = width * picture.height / picture.width
  const percent = (n: number) => `${n * 100}%`
  return (
    <div class="thumbnail" aria-hidden="true" style={{ width: `${width}px`, height: `${height}px`, left: `${picture.x + 8}px`, top: `${picture.y + 8}px` }}>
      <i style={{ left: percent(part.x), top: percent(part.y), width: percent(part.width), height: percent(part.height) }} />
    </div>
  )
}

