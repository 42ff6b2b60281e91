import { pick } from './maps'

/**
 * paint colours a depth picture on the CPU, as R, G, B, 255, for pictures
 * to save and for the ruler. Tiles use the GPU.
 */
export function paint(depth: Uint16Array, fractions: Float32Array, table: Uint8Array, out: Uint8ClampedArray): void {
  const n = table.length / 4
  for (let i = 0; i < depth.length; i++) {
    const d = depth[i]!, at = d === 0 ? -1 : 4 * pick(fractions[d]!, n), o = 4 * i
    out[o] = at < 0 ? 0 : table[at]!
    out[o + 1] = at < 0 ? 0 : table[at + 1]!
    out[o + 2] = at < 0 ? 0 : table[at + 2]!
    out[o + 3] = 255
  }
}
