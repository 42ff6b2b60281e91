// The scale beside a depth picture.

const every = 30

/**
 * top is the distance at the upper end of the ruler in metres: above the mean and
 * 1.5 standard deviations of a sample of the pixels, in steps of 4 m.
 */
export function top(depth: Uint16Array, width: number, height: number, units: number): number {
  let n = 0, sum = 0, squares = 0
  for (let y = 0; y < height; y += every) {
    for (let x = 0; x < width; x += every) {
      const d = depth[y * width + x]!
      if (d === 0) continue
      const m = d * units
      n++
      sum += m
      squares += m * m
    }
  }
  if (n === 0) return 4
  const mean = sum / n, deviation = Math.sqrt(Math.max(0, squares / n - mean * mean))
  return Math.max(4, Math.ceil((mean + 1.5 * deviation) / 4) * 4)
}

/** ticks are the labelled distances: every metre, fewer above 10. */
export function ticks(top: number): number[] {
  const step = top <= 10 ? 1 : top <= 20 ? 2 : Math.ceil(top / 10)
  const list = []
  for (let m = 0; m <= top; m += step) list.push(m)
  return list
}
