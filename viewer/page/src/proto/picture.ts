import type { Layout } from './frames'

const layouts: Record<string, Layout> = {
  Z16: 'depth', Y16: 'y16', RAW16: 'y16', Y8: 'y8', RAW8: 'y8', RGB8: 'rgb8', BGR8: 'bgr8',
  RGBA8: 'rgba8', BGRA8: 'bgra8', YUYV: 'yuyv', UYVY: 'uyvy', MJPEG: 'bitmap',
}

/** layoutOf returns the layout of a format's pixels, or undefined if it can't be shown. */
export function layoutOf(format: string): Layout | undefined { return layouts[format] }

/** bytesOf returns the bytes per pixel. */
export const bytesOf: Record<Exclude<Layout, 'bitmap'>, number> = {
  depth: 2, y16: 2, y8: 1, rgb8: 3, bgr8: 3, rgba8: 4, bgra8: 4, yuyv: 2, uyvy: 2,
}

/**
 * rows copies a raw body into out, without the padding of its rows;
 * out holds width × height pixels.
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
