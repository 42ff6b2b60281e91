/** Neighbours whose depth differs by less belong to one surface, in metres. */
export const meshThreshold = 0.05

/** PLYInput is the content of a file: a point for each pixel of a depth frame. */
export interface PLYInput {
  width: number
  height: number
  /** x, y, z of each pixel; those with z = 0 are left out. */
  xyz: Float32Array
  /** Red, green, blue of each pixel. */
  rgb?: Uint8Array
  /** Whether triangles join neighbours. */
  mesh: boolean
}

/**
 * writePLY returns a binary little-endian PLY file. Its points are those of the
 * export command, its triangles those of the SDK's exporter.
 */
export function writePLY(p: PLYInput): Uint8Array<ArrayBuffer> {
  const [numbers, count] = number(p.xyz)
  const faces = p.mesh ? triangles(p, numbers) : new Uint32Array(0)
  const head = new TextEncoder().encode(
    'ply\nformat binary_little_endian 1.0\ncomment metres; x right, y down, z forward\n' +
      `element vertex ${count}\nproperty float x\nproperty float y\nproperty float z\n` +
      (p.rgb ? 'property uchar red\nproperty uchar green\nproperty uchar blue\n' : '') +
      (p.mesh ? `element face ${faces.length / 3}\nproperty list uchar int vertex_indices\n` : '') +
      'end_header\n',
  )
  const out = new Uint8Array(head.length + count * (p.rgb ? 15 : 12) + (faces.length / 3) * 13)
  out.set(head)
  const view = new DataView(out.buffer)
  let at = head.length
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i]! < 0) continue
    for (let k = 0; k < 3; k++, at += 4) view.setFloat32(at, p.xyz[3 * i + k]!, true)
    if (p.rgb) for (let k = 0; k < 3; k++) out[at++] = p.rgb[3 * i + k]!
  }
  for (let i = 0; i < faces.length; i += 3) {
    out[at++] = 3
    for (let k = 0; k < 3; k++, at += 4) view.setInt32(at, faces[i + k]!, true)
  }
  return out
}

/** number returns the index of each valid point, -1 for others. */
function number(xyz: Float32Array): [Int32Array, number] {
  const numbers = new Int32Array(xyz.length / 3)
  let count = 0
  for (let i = 0; i < numbers.length; i++) numbers[i] = xyz[3 * i + 2] === 0 ? -1 : count++
  return [numbers, count]
}

function triangles(p: PLYInput, numbers: Int32Array): Uint32Array {
  const out = new Uint32Array(6 * Math.max(0, p.width - 1) * Math.max(0, p.height - 1))
  let n = 0
  for (let y = 0; y + 1 < p.height; y++) {
    for (let x = 0; x + 1 < p.width; x++) {
      const a = y * p.width + x, b = a + 1, c = a + p.width, d = c + 1
      const za = p.xyz[3 * a + 2]!, zb = p.xyz[3 * b + 2]!, zc = p.xyz[3 * c + 2]!, zd = p.xyz[3 * d + 2]!
      if (!joined(za, zb, zc, zd)) continue
      for (const corner of [a, d, b, d, a, c]) out[n++] = numbers[corner]!
    }
  }
  return out.subarray(0, n)
}

/** joined reports whether a square of four neighbours makes two triangles. */
export function joined(a: number, b: number, c: number, d: number): boolean {
  const near = (u: number, v: number) => Math.abs(u - v) < meshThreshold
  return a !== 0 && b !== 0 && c !== 0 && d !== 0 && near(a, b) && near(a, c) && near(b, d) && near(c, d)
}
