// The fraction of the colour map of each depth value. A list of 65536 fractions
// serves every map, so it is stored as a texture of 256 × 256.

export const values = 65536
const f = Math.fround

/** count counts the values of a picture into counts, which it clears first. */
export function count(depth: Uint16Array, counts: Uint32Array): void {
  counts.fill(0)
  for (let i = 0; i < depth.length; i++) counts[depth[i]!]!++
}

/**
 * equalised assigns to each value the share of the picture's values (without holes)
 * that aren't greater, as the SDK's histogram equalisation does.
 */
export function equalised(counts: Uint32Array, out: Float32Array): void {
  let sum = 0
  for (let d = 1; d < values; d++) sum += counts[d]!
  const all = f(sum)
  let below = 0
  out[0] = 0
  for (let d = 1; d < values; d++) {
    below += counts[d]!
    out[d] = f(f(below) / all)
  }
}

/** plain spreads the colours evenly from least to most metres. */
export function plain(units: number, least: number, most: number, out: Float32Array): void {
  const u = f(units), a = f(least), span = f(f(most) - a)
  out[0] = 0
  for (let d = 1; d < values; d++) {
    const t = span > 0 ? f(f(f(d * u) - a) / span) : 0
    out[d] = t > 0 ? Math.min(t, 1) : 0
  }
}
