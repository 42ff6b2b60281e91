// Motion: every sample of the last 15 s; a pixel's column goes from the least to
// the greatest value in it.
import { useEffect, useRef } from 'preact/hooks'
import type { TileProps } from './registry'
import { useTick } from './tick'
import { Samples, samples } from './samples'
import { text } from '../strings'

const span = 15
const names = ['x', 'y', 'z', 'n'] as const

export function MotionBody({ view }: TileProps) {
  const canvas = useRef<HTMLCanvasElement>(null), who = useRef({})
  useEffect(() => {
    const list = new Samples(span)
    samples.set(view, list)
    view.want(who.current)
    let asked = 0
    const draw = () => {
      asked = 0
      if (canvas.current) paint(canvas.current, list)
    }
    const stop = view.onDraw((frame) => {
      if (!frame.samples) return
      list.add(Number(frame.head.time) / 1e9, frame.samples)
      if (asked === 0) asked = requestAnimationFrame(draw)
    })
    const observer = new ResizeObserver(() => { if (asked === 0) asked = requestAnimationFrame(draw) })
    observer.observe(canvas.current!)
    return () => {
      stop()
      observer.disconnect()
      cancelAnimationFrame(asked)
      view.release(who.current)
    }
  }, [view])
  return (
    <div class="motion">
      <Values view={view} />
      <canvas ref={canvas} role="img" aria-label={`${view.info.name}, ${span} s`} />
    </div>
  )
}

function Values({ view }: TileProps) {
  useTick(view, 100)
  const last = samples.get(view)?.last
  const unit = /gyro/i.test(view.info.name) ? 'rad/s' : 'm/s²'
  return (
    <div class="motion-values">
      <dl>
        {names.map((n, i) => (
          <div key={n} class={`axis-${n}`}>
            <dt>{n === 'n' ? text.norm : n.toUpperCase()}</dt>
            <dd>{last ? last[i]!.toFixed(3) : '–'}</dd>
          </div>
        ))}
      </dl>
      <span class="quiet">{unit}</span>
    </div>
  )
}

function paint(canvas: HTMLCanvasElement, list: Samples): void {
  const ratio = Math.min(devicePixelRatio, 2), style = getComputedStyle(canvas)
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio)
  if (width === 0 || height === 0) return
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width
    canvas.height = height
  }
  const c = canvas.getContext('2d')!
  c.clearRect(0, 0, width, height)
  const { columns, low, high } = list.columns(width, span)
  const room = Math.max(high - low, 1e-3), margin = 6 * ratio
  const y = (v: number) => height - margin - (v - low) / room * (height - 2 * margin)
  c.font = `${10 * ratio}px ${style.fontFamily}`
  c.fillStyle = c.strokeStyle = style.getPropertyValue('--quiet')
  c.globalAlpha = 0.35
  for (const v of gridLines(low, high)) {
    c.fillRect(0, Math.round(y(v)), width, 1)
  }
  c.globalAlpha = 1
  for (const v of gridLines(low, high)) c.fillText(String(v), 4 * ratio, Math.round(y(v)) - 3 * ratio)
  names.forEach((name, axis) => {
    c.fillStyle = style.getPropertyValue(`--axis-${name}`)
    const col = columns[axis]!
    let before = NaN
    for (let x = 0; x < width; x++) {
      let lo = col[2 * x]!, hi = col[2 * x + 1]!
      if (lo > hi) continue
      // Columns touch, so that the line has no gaps.
      const a = lo, b = hi
      if (before < lo) lo = before
      else if (before > hi) hi = before
      before = (a + b) / 2
      const top = y(hi)
      c.fillRect(x, top, Math.max(1, ratio), Math.max(ratio, y(lo) - top))
    }
  })
}

/** gridLines are round values between two bounds, 3 to 6 of them. */
export function gridLines(low: number, high: number): number[] {
  const raw = (high - low) / 4
  if (!(raw > 0)) return []
  const power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= raw)!
  const list = []
  for (let i = Math.ceil(low / step); i * step <= high; i++) list.push(Number((i * step).toPrecision(6)))
  return list
}

