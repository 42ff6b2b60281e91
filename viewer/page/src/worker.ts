// The worker: it owns the socket, and parses and decodes binary messages.
// Each stream holds at most one undecoded message; a newer one replaces it.
import { decode, parseMetadata, Codec, Kind, type Message, type Metadata } from './proto/head'
import type { Frame, FromWorker, Picture, ToWorker } from './proto/frames'
import { restore, type FromProgram, type Stream } from './proto/messages'
import { bytesOf, layoutOf, rows } from './proto/picture'
import { Pool } from './proto/pool'
import { decodeBands } from './depth/rvl'
import { count, equalised, values } from './depth/fractions'
import { decodeTopic, kinds } from './topics/decode'

const post = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, { transfer })
const now = () => performance.timeOrigin + performance.now()

/** Waiting is a stream's newest undecoded message. */
interface Waiting { message: Message | null; received: number; skipped: number; busy: boolean; last: number; stale: boolean; epoch: number }

const pool = new Pool()
const counts = new Uint32Array(values)
const streams = new Map<number, Stream>()
const waiting = new Map<number, Waiting>()
const turn = new MessageChannel()
const utf8 = new TextDecoder()
let socket: WebSocket | null = null
let equalise = true
let turning = false

function lane(stream: number): Waiting {
  let w = waiting.get(stream)
  if (!w) waiting.set(stream, w = { message: null, received: 0, skipped: 0, busy: false, last: 0, stale: false, epoch: 0 })
  return w
}

function take(buffer: ArrayBuffer): void {
  let message: Message
  try {
    message = decode(buffer)
  } catch (e) {
    console.warn(e)
    return
  }
  const { head } = message, w = lane(head.stream)
  // A new subscription restarts the sequence numbers; messages in flight are void.
  if (w.stale && head.seq > w.last) return
  w.stale = false
  w.last = head.seq
  // Samples and transforms accumulate: none replaces another.
  if (head.kind === Kind.motion || head.kind === Kind.pose || isTransforms(head.stream)) {
    void finish(message, w, now())
    return
  }
  if (w.message) w.skipped++
  w.message = message
  w.received = now()
  if (!turning) {
    turning = true
    turn.port2.postMessage(null)
  }
}

function isTransforms(stream: number): boolean {
  const info = streams.get(stream)
  return info?.kind === 'topic' && kinds[info.type ?? info.format] === 'tf'
}

// A separate task lets messages that have already arrived replace each other first.
turn.port1.onmessage = () => {
  turning = false
  for (const w of waiting.values()) next(w)
}

function next(w: Waiting): void {
  if (w.busy || !w.message) return
  const message = w.message
  w.message = null
  w.busy = true
  void finish(message, w, w.received).finally(() => {
    w.busy = false
    next(w)
  })
}

async function finish(message: Message, w: Waiting, received: number): Promise<void> {
  const { head } = message, skippedWorker = w.skipped, epoch = w.epoch
  w.skipped = 0
  try {
    const info = streams.get(head.stream)
    if (!info) throw new Error('a frame of an unknown stream')
    const transfer: Transferable[] = []
    const frame: Frame = { head, metadata: {}, received, skippedWorker, epoch }
    if (head.kind === Kind.video) {
      frame.metadata = parseMetadata(message.metadata)
      frame.picture = await picture(message, info, frame.metadata)
    } else if (head.codec === Codec.samples) {
      frame.samples = new Float64Array(message.body.slice(0, message.body.length & ~31).buffer)
      transfer.push(frame.samples.buffer)
    } else if (head.codec === Codec.json) {
      frame.message = JSON.parse(utf8.decode(message.body))
    } else {
      const decoded = await decodeTopic(info, message.body)
      frame.picture = decoded.picture
      frame.message = decoded.message
      if (frame.picture?.layout === 'depth') fractions(frame.picture)
      transfer.push(...decoded.transfer)
    }
    if (frame.picture) transfer.push(...owned(frame.picture))
    post({ is: 'frame', frame }, [...new Set(transfer)])
  } catch (e) {
    post({ is: 'broken', stream: head.stream, epoch, seq: head.seq, skipped: skippedWorker + 1, error: String(e) })
  }
}

function owned(p: Picture): Transferable[] {
  const list: Transferable[] = [p.pixels instanceof ImageBitmap ? p.pixels : p.pixels.buffer as ArrayBuffer]
  if (p.fractions) list.push(p.fractions.buffer as ArrayBuffer)
  return list
}

async function picture({ head, body }: Message, info: Stream, metadata: Metadata): Promise<Picture> {
  const { width, height } = head
  if (head.codec === Codec.jpeg) return bitmap(body)
  const format = metadata.format ?? info.format, layout = layoutOf(format)
  if (!layout) throw new Error(`format ${format} can't be shown`)
  if (layout === 'bitmap') return bitmap(body)
  const pixels = new Uint8Array(pool.get(width * height * bytesOf[layout]))
  if (head.codec === Codec.rvl) {
    decodeBands(body, width, height, new Uint16Array(pixels.buffer))
  } else {
    rows(body, width * bytesOf[layout], head.stride, height, pixels)
  }
  const wide = layout === 'depth' || layout === 'y16'
  const p: Picture = { layout, width, height, pixels: wide ? new Uint16Array(pixels.buffer) : pixels }
  if (layout === 'depth') fractions(p)
  return p
}

function fractions(p: Picture): void {
  if (!equalise) return
  count(p.pixels as Uint16Array, counts)
  p.fractions = new Float32Array(pool.get(4 * values))
  equalised(counts, p.fractions)
}

async function bitmap(body: Uint8Array): Promise<Picture> {
  const b = await createImageBitmap(new Blob([body as Uint8Array<ArrayBuffer>]), { colorSpaceConversion: 'none', premultiplyAlpha: 'none' })
  return { layout: 'bitmap', width: b.width, height: b.height, pixels: b }
}

function open(url: string): void {
  const s = new WebSocket(url, 'rs-ros.view.v1')
  let timer = 0
  s.binaryType = 'arraybuffer'
  socket = s
  const ping = () => s.readyState === s.OPEN && s.send(JSON.stringify({ op: 'ping', t: now() }))
  s.onopen = () => {
    post({ is: 'open' })
    ping()
    timer = self.setInterval(ping, 2000)
  }
  s.onmessage = (e: MessageEvent<string | ArrayBuffer>) => {
    if (typeof e.data !== 'string') return take(e.data)
    const message = JSON.parse(e.data) as FromProgram
    restore(message)
    if (message.op === 'hello' || message.op === 'source') reset(message.source?.streams ?? [])
    if (message.op === 'streams') replace(message.streams ?? [])
    post({ is: 'text', message, at: now() })
  }
  s.onclose = (e) => {
    self.clearInterval(timer)
    if (socket !== s) return
    socket = null
    reset([])
    post({ is: 'closed', reason: e.reason })
  }
}

function reset(list: Stream[]): void {
  waiting.clear()
  pool.clear()
  replace(list)
}

/** replace replaces the streams; those that stay go on. */
function replace(list: Stream[]): void {
  streams.clear()
  for (const s of list) streams.set(s.id, s)
  for (const id of waiting.keys()) if (!streams.has(id)) waiting.delete(id)
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.do) {
    case 'open': return open(data.url)
    case 'send':
      if (socket?.readyState === WebSocket.OPEN) socket.send(data.text)
      return
    case 'streams': return reset(data.streams)
    case 'equalise':
      equalise = data.on
      return
    case 'forget': {
      const w = lane(data.stream)
      w.message = null
      w.skipped = 0
      w.stale = w.last > 0
      w.epoch = data.epoch
      return
    }
    case 'recycle':
      for (const b of data.buffers) pool.put(b)
  }
}
