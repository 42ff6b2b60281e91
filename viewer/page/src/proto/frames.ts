// The messages between the worker and the page.
import type { Head, Metadata } from './head'
import type { FromProgram, Stream } from './messages'

/** Layout is the arrangement of a picture's pixels, which decides the texture and the branch of the shader. */
export type Layout = 'depth' | 'y16' | 'y8' | 'rgb8' | 'bgr8' | 'rgba8' | 'bgra8' | 'yuyv' | 'uyvy' | 'bitmap'

/** Picture is a decoded image. Rows have no padding. */
export interface Picture {
  layout: Layout
  width: number
  height: number
  /** Uint16Array for depth and y16, an ImageBitmap for bitmap, bytes otherwise. */
  pixels: Uint8Array | Uint16Array | ImageBitmap
  /** For equalised depth: the fraction of the colour map of each of the 65536 values. */
  fractions?: Float32Array
}

/**
 * Frame is one delivery of a stream. A video frame has a picture; packed samples are
 * in samples (seconds after the head's time, x, y, z, repeated); anything else is a
 * message as decoded in topics/decode.ts.
 */
export interface Frame {
  head: Head
  metadata: Metadata
  picture?: Picture
  samples?: Float64Array
  message?: unknown
  /** When the worker received it, ms since 1970 of the browser's clock. */
  received: number
  /** Frames that the worker left out since the previous one. */
  skippedWorker: number
  /** The number of its subscription, as in forget. */
  epoch: number
}

export type ToWorker =
  | { do: 'open'; url: string }
  | { do: 'send'; text: string }
  /** The source's streams; the worker needs them to decode. */
  | { do: 'streams'; streams: Stream[] }
  | { do: 'equalise'; on: boolean }
  /** Frames of subscriptions before the coming one are void. */
  | { do: 'forget'; stream: number; epoch: number }
  | { do: 'recycle'; buffers: ArrayBuffer[] }

export type FromWorker =
  | { is: 'open' }
  | { is: 'closed'; reason: string }
  | { is: 'text'; message: FromProgram; at: number }
  | { is: 'frame'; frame: Frame }
  /** A frame couldn't be decoded; it counts as left out by the worker. */
  | { is: 'broken'; stream: number; epoch: number; seq: number; skipped: number; error: string }
