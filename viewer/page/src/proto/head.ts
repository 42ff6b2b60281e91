// The head of a binary message (docs/internals/view-protocol.md).

export const headSize = 48

export const Kind = { video: 1, motion: 2, topic: 3, pose: 4 } as const
export const Codec = { raw: 0, rvl: 1, jpeg: 2, json: 3, samples: 4, ros: 5 } as const

export interface Head {
  kind: number
  codec: number
  stream: number
  /** Sequence number within this viewer and stream, from 1. */
  seq: number
  /** The camera's frame number. */
  number: number
  /** When the frame arrived at the node, ns of the node's clock. */
  stamp: bigint
  /** The frame's stamp, ns. */
  time: bigint
  width: number
  height: number
  stride: number
  /** Frames that the node skipped since the previous one. */
  skipped: number
}

/** Message is a parsed binary message; body is a view into its buffer. */
export interface Message { head: Head; metadata: Uint8Array; body: Uint8Array }

/** decode parses a binary message. It throws an Error that says what is wrong with it. */
export function decode(buffer: ArrayBuffer): Message {
  if (buffer.byteLength < headSize) {
    throw new Error(`message of ${buffer.byteLength} bytes, shorter than its head of ${headSize}`)
  }
  const v = new DataView(buffer)
  const length = v.getUint32(40, true)
  if (length > buffer.byteLength - headSize) {
    throw new Error(`metadata of ${length} bytes in a message of ${buffer.byteLength}`)
  }
  const head: Head = {
    kind: v.getUint8(0),
    codec: v.getUint8(1),
    stream: v.getUint16(2, true),
    seq: v.getUint32(4, true),
    number: Number(v.getBigUint64(8, true)),
    stamp: v.getBigUint64(16, true),
    time: v.getBigUint64(24, true),
    width: v.getUint16(32, true),
    height: v.getUint16(34, true),
    stride: v.getUint32(36, true),
    skipped: v.getUint32(44, true),
  }
  return {
    head,
    metadata: new Uint8Array(buffer, headSize, length),
    body: new Uint8Array(buffer, headSize + length),
  }
}

/** Metadata of a video frame. */
export interface Metadata {
  timestamp?: number
  domain?: string
  format?: string
  set?: number
  values?: Record<string, number>
}

const utf8 = new TextDecoder()

/** parseMetadata returns the metadata, empty if there is none. */
export function parseMetadata(bytes: Uint8Array): Metadata {
  if (bytes.length === 0) return {}
  const value: unknown = JSON.parse(utf8.decode(bytes))
  return typeof value === 'object' && value !== null ? value as Metadata : {}
}
