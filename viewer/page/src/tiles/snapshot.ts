import { capture } from '../gl/capture'
import type { Stage } from '../gl/stage'
import { toast } from '../store'
import type { StreamView } from '../streams'
import { rowsOf } from './metadata'
import { png16 } from './png16'
import { samples } from './samples'

export type SnapshotKind = 'png' | 'png16' | 'raw' | 'csv'

/** save lets the browser save a stream's frame as it is shown now. */
export async function save(view: StreamView, stage: Stage, kind: SnapshotKind): Promise<void> {
  const name = `${stamp()}_${view.key.replace(/[^\w.-]+/g, '_').replace(/^_+|_+$/g, '')}`
  try {
    for (const [suffix, blob] of await content(view, stage, kind)) download(name + suffix, blob)
  } catch (e) {
    toast('error', String(e))
  }
}

async function content(view: StreamView, stage: Stage, kind: SnapshotKind): Promise<[string, Blob][]> {
  if (kind === 'csv') {
    const csv = samples.get(view)?.csv() ?? poseCSV(view.frame?.message)
    return [['.csv', new Blob([csv], { type: 'text/csv' })]]
  }
  const p = view.frame?.picture
  if (!p) return []
  if (kind === 'png') return [['.png', await coloured(view, stage)]]
  if (kind === 'png16') return [['_16bit.png', await png16(p.pixels as Uint16Array, p.width, p.height)]]
  const metadata = rowsOf(view).map((r) => r.map(quote).join(',') + '\n').join('')
  const pixels = p.pixels instanceof ImageBitmap ? capture(stage, view)!.data : p.pixels
  return [
    ['.raw', new Blob([pixels.slice() as Uint8Array<ArrayBuffer>])],
    ['_metadata.csv', new Blob([metadata], { type: 'text/csv' })],
  ]
}

const quote = (s: string) => /[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s

function poseCSV(pose: unknown): string {
  if (typeof pose !== 'object' || pose === null) return ''
  return Object.entries(pose).map(([k, v]) => [k, ...(typeof v === 'object' && v !== null ? Object.values(v) : [v])].join(',') + '\n').join('')
}

async function coloured(view: StreamView, stage: Stage): Promise<Blob> {
  const image = capture(stage, view)!
  const canvas = new OffscreenCanvas(image.width, image.height)
  canvas.getContext('2d')!.putImageData(image, 0, 0)
  return canvas.convertToBlob({ type: 'image/png' })
}

function stamp(): string {
  const d = new Date(), two = (n: number) => String(n).padStart(2, '0')
  return `${d.getFullYear()}${two(d.getMonth() + 1)}${two(d.getDate())}_${two(d.getHours())}${two(d.getMinutes())}${two(d.getSeconds())}`
}

/** download saves a blob by a link, which works without a secure context. */
export function download(name: string, blob: Blob): void {
  const a = document.createElement('a')
  a.href = URL.createObjectURL(blob)
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(a.href), 60_000)
}
