import { formatOf, Image, valueReader } from './image'

type Pixels = Omit<Image, 'header'>

/** Range is the values shown black and white. */
export interface Range {
  least: number
  most: number
}

/**
 * paint converts an image to red, green, blue, alpha. Values that aren't brightness
 * (16 bits and more, floating point) are scaled to their range, which is also
 * returned; NaN, and depth 0, stay black.
 */
export function paint(i: Pixels): { rgba: Uint8ClampedArray<ArrayBuffer>; range: Range | null } {
  const f = formatOf(i.encoding)
  const rgba = new Uint8ClampedArray(4 * i.width * i.height)
  switch (f.kind) {
    case 'colour':
      paintColour(i, rgba, f.order, f.number === 'U16' ? 2 : 1, f.channels)
      return { rgba, range: null }
    case 'yuv':
      paintYUV(i, rgba, f.order)
      return { rgba, range: null }
    case 'bayer':
      paintBayer(i, rgba, f.order, f.number === 'U16' ? 2 : 1)
      return { rgba, range: null }
  }
  const range = f.number === 'U8' ? { least: 0, most: 255 } : rangeOf(i)
  paintNumbers(i, rgba, range)
  return { rgba, range: f.number === 'U8' ? null : range }
}

/** paintColour copies channels, the upper 8 bits of 16. */
function paintColour(i: Pixels, out: Uint8ClampedArray, order: string, size: number, channels: number): void {
  const high = size === 2 && !i.bigEndian ? 1 : 0
  const [r, g, b, a] = ['r', 'g', 'b', 'a'].map((c) => order.indexOf(c))
  for (let y = 0, to = 0; y < i.height; y++) {
    for (let x = 0; x < i.width; x++, to += 4) {
      const at = y * i.step + x * channels * size + high
      out[to] = i.data[at + r! * size]!
      out[to + 1] = i.data[at + g! * size]!
      out[to + 2] = i.data[at + b! * size]!
      out[to + 3] = a! < 0 ? 255 : i.data[at + a! * size]!
    }
  }
}

/** paintYUV converts pairs of pixels that share chroma, by ITU-R BT.601. */
function paintYUV(i: Pixels, out: Uint8ClampedArray, order: string): void {
  const [luma, u, v] = order === 'yuyv' ? [0, 1, 3] : [1, 0, 2]
  for (let y = 0, to = 0; y < i.height; y++) {
    const row = y * i.step
    for (let x = 0; x < i.width; x++, to += 4) {
      const pair = row + 4 * (x >> 1)
      const c = 1.164 * (i.data[row + 2 * x + luma!]! - 16)
      const d = (i.data[pair + u!] ?? 128) - 128, e = (i.data[pair + v!] ?? 128) - 128
      out[to] = c + 1.596 * e
      out[to + 1] = c - 0.392 * d - 0.813 * e
      out[to + 2] = c + 2.017 * d
      out[to + 3] = 255
    }
  }
}

/** paintBayer gives each pixel the colour of its 2×2 cell, which suffices for a preview. */
function paintBayer(i: Pixels, out: Uint8ClampedArray, order: string, size: number): void {
  const high = size === 2 && !i.bigEndian ? 1 : 0
  const at = (x: number, y: number) => i.data[y * i.step + x * size + high]!
  const r = order.indexOf('r'), b = order.indexOf('b')
  const [g0, g1] = [order.indexOf('g'), order.lastIndexOf('g')]
  for (let y = 0, to = 0; y < i.height; y++) {
    const top = Math.min(y & ~1, Math.max(0, i.height - 2))
    for (let x = 0; x < i.width; x++, to += 4) {
      const left = Math.min(x & ~1, Math.max(0, i.width - 2))
      const field = (k: number) => at(Math.min(left + (k & 1), i.width - 1), Math.min(top + (k >> 1), i.height - 1))
      out[to] = field(r)
      out[to + 1] = (field(g0) + field(g1)) / 2
      out[to + 2] = field(b)
      out[to + 3] = 255
    }
  }
}

/** rangeOf returns the range of the first channel; 0 counts as unknown, as in depth images. */
export function rangeOf(i: Pixels): Range {
  const f = formatOf(i.encoding)
  const read = valueReader(i, f.number)
  let least = Infinity, most = -Infinity
  for (let y = 0; y < i.height; y++) {
    for (let x = 0; x < i.width; x++) {
      const v = read(y * i.step + x * f.bytes)
      if (v === 0 || !Number.isFinite(v)) continue
      if (v < least) least = v
      if (v > most) most = v
    }
  }
  return least <= most ? { least, most } : { least: 0, most: 1 }
}

/** Brightness of the smallest known value, so that it differs from unknown ones. */
const floor = 0.12

function paintNumbers(i: Pixels, out: Uint8ClampedArray, range: Range): void {
  const f = formatOf(i.encoding)
  const read = valueReader(i, f.number)
  const eight = f.number === 'U8'
  const spread = range.most - range.least || 1
  for (let y = 0, to = 0; y < i.height; y++) {
    for (let x = 0; x < i.width; x++, to += 4) {
      const v = read(y * i.step + x * f.bytes)
      const t = (v - range.least) / spread
      const known = v !== 0 && Number.isFinite(v)
      out[to] = out[to + 1] = out[to + 2] = eight ? v : known ? 255 * (floor + (1 - floor) * t) : 0
      out[to + 3] = 255
    }
  }
}
