// The grid of tiles over the canvas.
import { effect, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import * as store from '../store'
import { Flat } from '../gl/flat'
import type { Stage } from '../gl/stage'
import { best, grouped, type Rect } from '../grid'
import type { StreamView } from '../streams'
import { bytes, seconds } from '../format'
import { text } from '../strings'
import { useViewer } from '../viewer'
import { zooms } from '../zoom'
import { tileOf } from './registry'
import { Tile } from './tile'

export const headerHeight = 28
/** Height of a camera's name above its tiles, if there are several. */
const titleHeight = 30
const gap = 6

/** shownViews are the streams that have a tile, in the tiles' order. */
export function shownViews(): StreamView[] {
  const list = [...store.views.value.values()].filter((v) => !store.hidden.value.has(v.key) && tileOf(v))
  const order = new Map(list.map((v) => [v, tileOf(v)!.order?.(v) ?? 5]))
  const cameras = [...store.views.value.values()].map((v) => v.info.camera)
  const at = (v: StreamView) => cameras.indexOf(v.info.camera)
  return list.sort((a, b) => at(a) - at(b) || order.get(a)! - order.get(b)! || a.info.name.localeCompare(b.info.name, 'en', { numeric: true }))
}

function aspectOf(view: StreamView): number {
  const own = tileOf(view)?.aspect?.(view)
  if (own) return own
  return view.info.width && view.info.height ? view.info.width / view.info.height : 4 / 3
}

export function Grid({ stage }: { stage: Stage }) {
  const flat = useMemo(() => new Flat(), [])
  const element = useRef<HTMLDivElement>(null)
  const size = useSignal({ width: 0, height: 0 })
  useLayoutEffect(() => {
    stage.show(flat)
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element.current!
      size.value = { width, height }
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [stage])
  useEffect(() => effect(() => {
    void zooms.value
    stage.redraw()
  }), [stage])

  const all = shownViews(), narrow = size.value.width < 600
  const one = all.find((v) => v.info.id === store.maximised.value) ?? (narrow && size.value.width > 0 ? all[0] : undefined)
  const list = one ? [one] : all
  const { width, height } = size.value
  const groups = [...new Set(list.map((v) => v.info.camera ?? ''))].map((c) => [c, list.filter((v) => (v.info.camera ?? '') === c)] as const)
  const apart = groups.some(([camera]) => camera !== '')
  const { areas, rects } = apart
    ? grouped(groups.map(([, of]) => of.map(aspectOf)), width, height, titleHeight, headerHeight, gap)
    : { areas: [], rects: best(list.map(aspectOf), width, height, headerHeight, gap) }
  useLayoutEffect(() => {
    flat.places = list.map((view, i) => {
      const r = rects[i]!
      return { view, body: { x: r.x, y: r.y + headerHeight, width: r.width, height: Math.max(0, r.height - headerHeight) } }
    })
    stage.redraw()
  })
  return (
    <div class="grid" ref={element}
      onTouchStart={narrow ? (e) => { swipe.from = e.touches.length === 1 ? e.touches[0]!.clientX : NaN } : undefined}
      onTouchEnd={narrow ? (e) => swipe.end(e.changedTouches[0]!.clientX, all, one) : undefined}>
      {width > 0 && areas.map((area, i) => <CameraTitle key={groups[i]![0]} camera={groups[i]![0]} area={area} />)}
      {width > 0 && list.map((view, i) => <Tile key={view} view={view} rect={rects[i]!} index={all.indexOf(view)} stage={stage} />)}
      {list.length === 0 && <Empty />}
    </div>
  )
}

/** CameraTitle is above the tiles of a camera, with its recording if it has one of its own. */
function CameraTitle({ camera, area }: { camera: string; area: Rect }) {
  const { link } = useViewer()
  const r = store.record.value?.cameras?.find((c) => c.camera === camera)
  return (
    <header class="camera-title" style={{ left: `${area.x}px`, top: `${area.y}px`, width: `${area.width}px`, height: `${titleHeight - gap}px` }}>
      <h2 class="ellipsis">{camera}</h2>
      {r && !store.viewOnly.value && (
        <button type="button" class="record-button" aria-label={`${r.on ? text.stop : text.record} ${camera}`}
          onClick={() => void link.tell(r.on ? 'record.stop' : 'record.start', { camera })}>
          <i class={r.on ? 'square' : 'dot'} />{r.on ? `${seconds(r.seconds)} · ${bytes(r.bytes)}` : text.record}
        </button>
      )}
    </header>
  )
}

/** swipe goes from tile to tile on small screens. */
const swipe = {
  from: NaN,
  end(x: number, all: StreamView[], now: StreamView | undefined) {
    const moved = x - this.from
    if (!(Math.abs(moved) > 60) || !now) return
    const at = all.indexOf(now) + (moved < 0 ? 1 : -1)
    store.maximised.value = all[(at + all.length) % all.length]!.info.id
  },
}

function Empty() {
  const nothing = store.source.value === null
  if (!store.connected.value && store.connections.value === 0) return <div class="notice"><p>{text.loading}</p></div>
  return (
    <div class="notice">
      <p>{nothing ? text.noSource : text.noStreams}</p>
      <p class="quiet">{nothing ? text.noSourceHint : text.noStreamsHint}</p>
    </div>
  )
}
