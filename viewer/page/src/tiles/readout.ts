import { signal } from '@preact/signals'
import type { Stage } from '../gl/stage'
import type { StreamView } from '../streams'

/** pointed is the pixel under the pointer, in the stream's full size. */
export const pointed = signal<{ view: StreamView; x: number; y: number } | null>(null)

export interface Value {
  /** The value as the camera has it. */
  hex: string
  /** Of depth: the distance; undefined where there is none. */
  metres?: number
}

const hex = (n: number, digits: number) => '0x' + n.toString(16).toUpperCase().padStart(digits, '0')

/** readAt is the value of a pixel of the frame that is shown; x and y are those of the full size. */
export function readAt(view: StreamView, stage: Stage, x: number, y: number): Value | null {
  const p = view.frame?.picture
  if (!p || p.width === 0) return null
  // The program may have sent a smaller picture: each n-th pixel.
  const n = view.info.width > p.width ? Math.round(view.info.width / p.width) : 1
  const px = Math.min(p.width - 1, Math.floor(x / n)), py = Math.min(p.height - 1, Math.floor(y / n))
  if (p.pixels instanceof ImageBitmap) {
    const u = stage.textures.get(view)
    if (!u) return null
    const [r, g, b] = stage.textures.pixel(u, px, py)
    return { hex: `${r} ${g} ${b}` }
  }
  const i = py * p.width + px
  if (p.layout === 'depth') {
    const d = p.pixels[i]!
    return { hex: hex(d, 4), metres: d * (view.info.depthUnits ?? 0.001) }
  }
  if (p.layout === 'y16') return { hex: `${hex(p.pixels[i]!, 4)} = ${p.pixels[i]}` }
  if (p.layout === 'y8') return { hex: `${hex(p.pixels[i]!, 2)} = ${p.pixels[i]}` }
  const size = p.pixels.length / (p.width * p.height), at = p.pixels.subarray(i * size, (i + 1) * size)
  if (p.layout === 'bgr8' || p.layout === 'bgra8') return { hex: `${at[2]} ${at[1]} ${at[0]}` }
  return { hex: [...at.subarray(0, 3)].join(' ') }
}
