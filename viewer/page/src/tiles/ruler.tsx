import { useEffect, useRef } from 'preact/hooks'
import { effect } from '@preact/signals'
import { pick, table } from '../depth/maps'
import { plain, values } from '../depth/fractions'
import { ticks, top } from '../depth/ruler'
import type { Stage } from '../gl/stage'
import type { Rect } from '../grid'
import { distance } from '../format'
import { colourMap, equalise, imperial, maxDistance, minDistance } from '../prefs'
import type { StreamView } from '../streams'

const scratch = new Float32Array(values)

/**
 * Ruler is the strip at the right edge of a depth picture: distance upwards, in
 * the colours that the frame's depths have.
 */
export function Ruler({ view, picture, stage }: { view: StreamView; picture: Rect; stage: Stage }) {
  const strip = useRef<HTMLCanvasElement>(null), labels = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let last = -1, due = 0, end = 4
    const draw = () => {
      due = 0
      const canvas = strip.current, p = view.frame?.picture
      if (!canvas || p?.layout !== 'depth') return
      const units = view.info.depthUnits ?? 0.001
      const distance = top(p.pixels as Uint16Array, p.width, p.height, units)
      if (distance !== last) {
        last = end = distance
        label(labels.current!, end)
      }
      let fractions = equalise.peek() ? p.fractions : undefined
      if (!fractions) plain(units, minDistance.peek(), maxDistance.peek(), fractions = scratch)
      const t = table(colourMap.peek()), n = t.length / 4, rows = 256, image = new ImageData(1, rows)
      for (let y = 0; y < rows; y++) {
        const d = Math.round((1 - (y + 0.5) / rows) * end / units)
        const at = 4 * pick(fractions[Math.min(d, values - 1)]!, n)
        image.data.set(t.subarray(at, at + 4), 4 * y)
      }
      canvas.getContext('2d')!.putImageData(image, 0, 0)
    }
    // 10 times a second is enough for a scale.
    const ask = () => { if (due === 0) due = window.setTimeout(draw, 100) }
    const stop = view.onDraw(ask)
    const dispose = effect(() => {
      void [colourMap.value, equalise.value, minDistance.value, maxDistance.value, imperial.value]
      last = -1
      ask()
    })
    return () => {
      stop()
      dispose()
      clearTimeout(due)
    }
  }, [view, stage])
  return (
    <div class="ruler" style={{ top: `${picture.y + 8}px`, left: `${picture.x + picture.width - 8}px`, height: `${Math.max(0, picture.height - 16)}px` }}
      onPointerMove={(e) => {
        const box = strip.current!.getBoundingClientRect(), m = Number(strip.current!.dataset.top) * (box.bottom - e.clientY) / box.height
        e.currentTarget.title = distance(Math.max(0, m), false)
      }}>
      <div ref={labels} class="ruler-labels" aria-hidden="true" />
      <canvas ref={strip} width={1} height={256} aria-hidden="true" />
    </div>
  )
}

function label(box: HTMLDivElement, end: number): void {
  const strip = box.nextElementSibling as HTMLElement
  strip.dataset.top = String(end)
  box.replaceChildren(...ticks(imperial.peek() ? end / 0.3048 : end).map((m) => {
    const span = document.createElement('span')
    span.textContent = String(m)
    span.style.bottom = `${m / (imperial.peek() ? end / 0.3048 : end) * 100}%`
    return span
  }))
}
