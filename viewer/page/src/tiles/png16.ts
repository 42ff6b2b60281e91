// A PNG of 16-bit grey, which a canvas can't write.

const crcs = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1
  return n
})

function crc(bytes: Uint8Array): number {
  let c = 0xffffffff
  for (const b of bytes) c = crcs[(c ^ b) & 255]! ^ (c >>> 8)
  return ~c >>> 0
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(12 + data.length), v = new DataView(out.buffer)
  v.setUint32(0, data.length)
  for (let i = 0; i < 4; i++) out[4 + i] = type.charCodeAt(i)
  out.set(data, 8)
  v.setUint32(8 + data.length, crc(out.subarray(4, 8 + data.length)))
  return out
}

/** png16 encodes a picture of 16-bit values without loss. */
export async function png16(pixels: Uint16Array, width: number, height: number): Promise<Blob> {
  const rows = new Uint8Array(height * (1 + 2 * width)), v = new DataView(rows.buffer)
  for (let y = 0; y < height; y++) {
    const at = y * (1 + 2 * width) + 1 // after the filter of the row, none
    for (let x = 0; x < width; x++) v.setUint16(at + 2 * x, pixels[y * width + x]!)
  }
  const stream = new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate'))
  const packed = new Uint8Array(await new Response(stream).arrayBuffer())
  const head = new Uint8Array(13), h = new DataView(head.buffer)
  h.setUint32(0, width)
  h.setUint32(4, height)
  head[8] = 16 // bits; the rest 0: grey, deflate, adaptive filters, not interlaced
  const signature = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])
  return new Blob([signature, chunk('IHDR', head), chunk('IDAT', packed), chunk('IEND', new Uint8Array(0))], { type: 'image/png' })
}
