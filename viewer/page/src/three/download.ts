import type { Picture } from '../proto/frames'
import { paint } from '../topics/paint'

/** Names of layouts as sensor_msgs/Image has them. */
const encodings: Partial<Record<Picture['layout'], string>> = {
  y16: 'mono16', y8: 'mono8', rgb8: 'rgb8', bgr8: 'bgr8', rgba8: 'rgba8', bgra8: 'bgra8', yuyv: 'yuyv', uyvy: 'uyvy',
}

/** pixelsOf makes red, green, blue, alpha of a picture; null for depth. */
export function pixelsOf(p: Picture): Uint8Array | Uint8ClampedArray | null {
  const { width, height, pixels } = p
  if (pixels instanceof ImageBitmap) {
    const c = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
    if (!c) return null
    c.drawImage(pixels, 0, 0)
    return c.getImageData(0, 0, width, height).data
  }
  const encoding = encodings[p.layout]
  if (!encoding) return null
  const data = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  return paint({ width, height, encoding, bigEndian: false, step: data.length / height, data }).rgba
}

/** save offers bytes as a file. */
export function save(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // the browser may still read it
}
