import { useEffect, useRef } from 'preact/hooks'
import { pick, table } from '../depth/maps'
import { plain, values } from '../depth/fractions'
import { top } from '../depth/ruler'
import { colourMap, equalise, maxDistance, minDistance } from '../prefs'
import type { StreamView } from '../streams'

const bins = 128
const scratch = new Float32Array(values)

/** Histogram shows the distribution of distances, in the map's colours. */
export function Histogram({ view }: { view: StreamView }) {
  const canvas = useRef<HTMLCanvasElement>(null), axis = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    let due = 0
    const draw = () => {
      due = 0
      const p = view.frame?.picture, c = canvas.current?.getContext('2d')
      if (!c || p?.layout !== 'depth') return
      const units = view.info.depthUnits ?? 0.001, depth = p.pixels as Uint16Array
      const end = top(depth, p.width, p.height, units), counts = new Uint32Array(bins), scale = bins * units / end
      for (let i = 0; i < depth.length; i++) {
        const d = depth[i]!
        if (d !== 0) counts[Math.min(bins - 1, Math.trunc(d * scale))]!++
      }
      const most = Math.max(1, ...counts), t = table(colourMap.peek()), n = t.length / 4
      let f = equalise.peek() ? p.fractions : undefined
      if (!f) plain(units, minDistance.peek(), maxDistance.peek(), f = scratch)
      const { width, height } = c.canvas, w = width / bins
      c.clearRect(0, 0, width, height)
      for (let b = 0; b < bins; b++) {
        const at = 4 * pick(f[Math.min(values - 1, Math.round((b + 0.5) / scale))]!, n)
        c.fillStyle = `rgb(${t[at]} ${t[at + 1]} ${t[at + 2]})`
        const h = Math.sqrt(counts[b]! / most) * height
        c.fillRect(b * w, height - h, w, h)
      }
      axis.current!.textContent = `0 – ${end} m`
    }
    const ask = () => { if (due === 0) due = window.setTimeout(draw, 200) }
    ask()
    const stop = view.onDraw(ask)
    return () => {
      stop()
      clearTimeout(due)
    }
  }, [view])
  return (
    <>
      <canvas ref={canvas} class="histogram" width={256} height={64} role="img" aria-label="Histogram" />
      <p ref={axis} class="quiet value" />
    </>
  )
}
