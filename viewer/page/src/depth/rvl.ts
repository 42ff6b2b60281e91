// RVL as in compressed_depth_image_transport: runs of zeros and of
// differences, in nibbles that fill 32-bit words from the most significant end.

/**
 * decodeList decodes one list into out[from…to). It reads src[at…end) and throws
 * if that is too short or has more pixels than fit.
 */
export function decodeList(src: DataView, at: number, end: number, out: Uint16Array, from: number, to: number): void {
  let word = 0, left = 0, previous = 0, i = from
  const variable = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 3) {
      if (left === 0) {
        if (at + 4 > end) throw new RangeError(`RVL list ends after ${i - from} of ${to - from} pixels`)
        word = src.getInt32(at, true)
        at += 4
        left = 8
      }
      const nibble = word >>> 28
      word <<= 4
      left--
      if (shift > 30) throw new RangeError('RVL number of more than 32 bits')
      value |= (nibble & 7) << shift
      if ((nibble & 8) === 0) return value >>> 0
    }
  }
  while (i < to) {
    const zeros = variable()
    if (zeros > to - i) throw new RangeError(`RVL run of ${zeros} zeros where ${to - i} pixels are left`)
    out.fill(0, i, i + zeros)
    i += zeros
    const values = variable()
    if (values > to - i) throw new RangeError(`RVL run of ${values} values where ${to - i} pixels are left`)
    if (zeros === 0 && values === 0 && i < to) throw new RangeError('RVL run of no pixels')
    for (const stop = i + values; i < stop; i++) {
      let z: number
      // Most differences fit one nibble.
      if (left > 0 && word >= 0) {
        z = word >>> 28
        word <<= 4
        left--
      } else {
        z = variable()
      }
      previous = (previous + ((z >>> 1) ^ -(z & 1))) & 0xffff
      out[i] = previous
    }
  }
}

/** decodeBands decodes the body of an RVL message: bands of rows, each a separate list. */
export function decodeBands(body: Uint8Array, width: number, height: number, out: Uint16Array): void {
  const src = new DataView(body.buffer, body.byteOffset, body.byteLength)
  if (body.byteLength < 2) throw new RangeError(`RVL body of ${body.byteLength} bytes`)
  const bands = src.getUint16(0, true)
  let at = 2 + 4 * bands
  if (bands === 0 || at > body.byteLength) throw new RangeError(`RVL body of ${body.byteLength} bytes says ${bands} bands`)
  if (out.length < width * height) throw new RangeError(`room for ${out.length} of ${width * height} pixels`)
  for (let b = 0; b < bands; b++) {
    const length = src.getUint32(2 + 4 * b, true)
    if (length > body.byteLength - at) throw new RangeError(`RVL band of ${length} bytes where ${body.byteLength - at} are left`)
    const from = Math.floor(height * b / bands) * width
    const to = Math.floor(height * (b + 1) / bands) * width
    decodeList(src, at, at + length, out, from, to)
    at += length
  }
}
