import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../strings'
import type { TileProps } from '../tiles/registry'
import type { TopicMessage } from './decode'
import { useStream } from './frame'
import { nearestPoint, type Scan, scanPoints } from './scan'

/** Share of the tile that is margin. */
const margin = 0.08

/** ScanTile shows a scan from above, ahead is up, with rings of equal distance. */
export function ScanTile({ view }: TileProps) {
  useStream(view)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [readout, setReadout] = useState('')
  useEffect(() => {
    const element = canvas.current!
    const c = element.getContext('2d')!
    let pointer: { x: number; y: number } | null = null
    const draw = () => {
      const message = view.frame?.message as TopicMessage | undefined
      const scan = message?.is === 'scan' ? message.scan : null
      const scale = devicePixelRatio
      element.width = Math.max(1, Math.round(element.clientWidth * scale))
      element.height = Math.max(1, Math.round(element.clientHeight * scale))
      c.setTransform(scale, 0, 0, scale, 0, 0)
      const style = getComputedStyle(element)
      setReadout(scan ? drawScan(c, scan, element.clientWidth, element.clientHeight, style, pointer) : text.topic.noScan)
    }
    const move = (e: PointerEvent) => {
      const box = element.getBoundingClientRect()
      pointer = e.type === 'pointerleave' ? null : { x: e.clientX - box.left, y: e.clientY - box.top }
      draw()
    }
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerleave', move)
    const size = new ResizeObserver(draw)
    size.observe(element)
    const stop = view.onDraw(draw)
    draw()
    return () => {
      stop()
      size.disconnect()
    }
  }, [view])
  return (
    <div class="topic scan">
      <canvas ref={canvas} role="img" aria-label={text.topic.scanOf(readout)} />
      <output class="space-readout">{readout}</output>
    </div>
  )
}

/** ringStep is the distance between rings: 1, 2 or 5 times a power of ten, four to eight of them. */
export function ringStep(reach: number): number {
  const power = 10 ** Math.floor(Math.log10(reach / 4))
  const n = reach / 4 / power
  return power * (n >= 5 ? 5 : n >= 2 ? 2 : 1)
}

/** drawScan draws, and returns the text of the readout. */
function drawScan(c: CanvasRenderingContext2D, s: Scan, width: number, height: number, style: CSSStyleDeclaration, at: { x: number; y: number } | null): string {
  const points = scanPoints(s)
  let reach = 0.1
  for (let i = 0; i < points.length; i += 2) reach = Math.max(reach, Math.hypot(points[i]!, points[i + 1]!))
  const perMetre = (Math.min(width, height) / 2 / reach) * (1 - margin)
  const x = (i: number) => width / 2 - points[i + 1]! * perMetre
  const y = (i: number) => height / 2 - points[i]! * perMetre
  c.clearRect(0, 0, width, height)
  rings(c, width, height, reach, perMetre, style)
  c.fillStyle = style.getPropertyValue('--accent') || '#4aa8ff'
  for (let i = 0; i < points.length; i += 2) c.fillRect(x(i) - 1.25, y(i) - 1.25, 2.5, 2.5)
  const n = at ? nearestPoint(points, (height / 2 - at.y) / perMetre, (width / 2 - at.x) / perMetre, 15 / perMetre) : -1
  if (n < 0) return text.topic.ranges(points.length / 2, s.ranges.length, reach.toFixed(2))
  c.strokeStyle = style.color
  c.lineWidth = 2
  c.beginPath()
  c.arc(x(n), y(n), 6, 0, 2 * Math.PI)
  c.stroke()
  const px = points[n]!, py = points[n + 1]!
  return `${Math.hypot(px, py).toFixed(3)} m at ${((Math.atan2(py, px) * 180) / Math.PI).toFixed(1)}°  ·  x ${px.toFixed(3)}, y ${py.toFixed(3)}`
}

function rings(c: CanvasRenderingContext2D, width: number, height: number, reach: number, perMetre: number, style: CSSStyleDeclaration): void {
  const step = ringStep(reach)
  c.lineWidth = 1
  c.strokeStyle = 'rgba(128,136,148,.35)'
  c.fillStyle = style.color
  c.font = '11px system-ui, sans-serif'
  c.textAlign = 'left'
  for (let r = step; r <= reach * 1.05; r += step) {
    c.beginPath()
    c.arc(width / 2, height / 2, r * perMetre, 0, 2 * Math.PI)
    c.stroke()
    c.globalAlpha = 0.6
    c.fillText(`${Number(r.toPrecision(3))} m`, width / 2 + 4, height / 2 - r * perMetre - 3)
    c.globalAlpha = 1
  }
  // The scanner and its direction.
  c.beginPath()
  c.moveTo(width / 2, height / 2 - 9)
  c.lineTo(width / 2 + 6, height / 2 + 6)
  c.lineTo(width / 2 - 6, height / 2 + 6)
  c.closePath()
  c.fill()
}
