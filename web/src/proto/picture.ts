import type { Layout } from './frames'

const layouts: Record<string, Layout> = {
  Z16: 'depth', Y16: 'y16', RAW16: 'y16', Y8: 'y8', RAW8: 'y8', RGB8: 'rgb8', BGR8: 'bgr8',
  RGBA8: 'rgba8', BGRA8: 'bgra8', YUYV: 'yuyv', UYVY: 'uyvy', MJPEG: 'bitmap',
}

/** layoutOf returns how a format's pixels are arranged, or undefined for one that can't be shown. */
export function layoutOf(format: string): Layout | undefined { return layouts[format] }

/** bytesOf is the size of a pixel. */
export const bytesOf: Record<Exclude<Layout, 'bitmap'>, number> = {
  depth: 2, y16: 2, y8: 1, rgb8: 3, bgr8: 3, rgba8: 4, bgra8: 4, yuyv: 2, uyvy: 2,
}

/**
 * rows copies a raw body without the padding at the ends of its rows into out,
 * which holds width × height pixels.
 */
export function rows(body: Uint8Array, row: number, stride: number, height: number, out: Uint8Array): void {
  if (stride < row || body.length < stride * (height - 1) + row) {
    throw new Error(`raw body of ${body.length} bytes, ${height} rows of ${stride}, expected rows of ${row}`)
  }
  if (stride === row) {
    out.set(body.subarray(0, row * height))
    return
  }
  for (let y = 0; y < height; y++) out.set(body.subarray(y * stride, y * stride + row), y * row)
}
