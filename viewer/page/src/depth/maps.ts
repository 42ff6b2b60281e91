// The colour maps of librealsense's colorizer, equal to the byte.

type RGB = readonly [number, number, number]

const stripes: RGB[] = Array.from({ length: 50 }, (_, i) => i % 2 ? [0, 0, 0] : [255, 255, 255])

/** keys are the maps in the SDK's order: evenly spaced colours, near to far. */
export const keys: readonly (readonly RGB[])[] = [
  [[0, 0, 255], [0, 255, 255], [255, 255, 0], [255, 0, 0], [50, 0, 0]],
  [[30, 77, 203], [25, 60, 192], [45, 117, 220], [204, 108, 191], [196, 57, 178], [198, 33, 24]],
  [[255, 255, 255], [0, 0, 0]],
  [[0, 0, 0], [255, 255, 255]],
  [[0, 0, 204], [204, 230, 255], [255, 255, 153], [170, 255, 128], [0, 153, 0], [230, 242, 255]],
  [[230, 247, 255], [0, 92, 230], [0, 179, 179], [0, 51, 153], [0, 5, 15]],
  [[255, 255, 230], [255, 204, 0], [255, 136, 77], [255, 51, 0], [128, 0, 0], [10, 0, 0]],
  [[255, 255, 255], [0, 0, 0]],
  stripes,
  [[255, 0, 0], [255, 255, 0], [0, 255, 0], [0, 255, 255], [0, 0, 255], [255, 0, 255], [255, 0, 0]],
]

/** names are the maps' names in the URL's fragment. */
export const names = ['jet', 'classic', 'white-to-black', 'black-to-white', 'bio', 'cold', 'warm', 'quantized', 'pattern', 'hue'] as const

const quantized = 7
const f = Math.fround

/** table returns a map's colours as R, G, B, 255: 4001 entries, or 7 for Quantized. */
export function table(map: number): Uint8Array {
  const k = keys[map]!, n = map === quantized ? 7 : 4001, out = new Uint8Array(4 * n)
  const at = k.map((_, i) => f(i / (k.length - 1)))
  let s = 0
  for (let i = 0; i < n; i++) {
    const x = f(i / (n - 1))
    while (s + 1 < at.length - 1 && x >= at[s + 1]!) s++
    const t = f(f(x - at[s]!) / f(at[s + 1]! - at[s]!))
    for (let c = 0; c < 3; c++) {
      const a = k[s]![c]!, b = k[s + 1]![c]!
      let v = f(f(b * t) + f(a * f(1 - t)))
      if (x === at[s]) v = a
      else if (x === at[s + 1]) v = b
      out[4 * i + c] = v
    }
    out[4 * i + 3] = 255
  }
  return out
}

/** pick returns the entry of a table of n entries for a fraction of the range. */
export function pick(fraction: number, n: number): number {
  if (!(fraction > 0)) return 0
  if (fraction >= 1) return n - 1
  return Math.trunc(f(fraction * f(n - 1)))
}
