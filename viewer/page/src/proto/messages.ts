// The text messages of docs/internals/view-protocol.md. Times are nanoseconds as decimal
// strings, because they are above 2^53.

export type Time = string

export interface Intrinsics {
  width: number; height: number
  fx: number; fy: number; ppx: number; ppy: number
  model: string
  coeffs: number[]
}

/** Extrinsics map points of one stream to another: column-major rotation, metres. */
export interface Extrinsics { rotation: number[]; translation: number[] }

export interface Stream {
  id: number
  /** If there are several. */
  camera?: string
  kind: 'video' | 'motion' | 'pose' | 'topic'
  name: string
  sensor: number
  format: string
  width: number; height: number; fps: number
  intrinsics?: Intrinsics
  depthUnits?: number
  extrinsics?: Record<string, Extrinsics>
  /** Of depth: to the first camera's, if there are several that tf relates. */
  place?: Extrinsics
  type?: string
}

export interface Option {
  id: string | number
  name: string
  description: string
  value: number
  min: number; max: number; step: number; default: number
  readOnly: boolean
  labels?: Record<string, string>
}

export interface Sensor { id: number; camera?: string; name: string; options: Option[] | null }

export interface Mark { time: Time; kind: 'loss' | 'notification' | 'option'; stream?: number; text: string }

export interface Source {
  kind: 'camera' | 'file' | 'graph'
  name: string
  device?: string
  file?: string
  info: [string, string][] | null
  sensors: Sensor[] | null
  streams: Stream[] | null
  start?: Time; end?: Time
  marks?: Mark[] | null
  frameSets?: number
}

export interface State {
  playing: boolean
  position: Time | null
  rate: number
  loop: boolean
  range: [Time, Time] | null
  ended: boolean
  stalled?: boolean
  set?: number | null
  round?: number
}

export interface RecordRow {
  name: string; type: string; publishers: number
  rate: number; speed: number
  messages: number; bytes: number; drops: number; queue: number; lost: number
}

export interface Record_ {
  on: boolean; paused: boolean
  file: string
  seconds: number; bytes: number; free: number; drops: number; part: number; upload?: string; ring?: string
  compression?: string
  table?: RecordRow[]; total?: RecordRow
  streams: number[] | null
  error?: string
  /** It has ended, and nothing came. */
  empty?: boolean
  /** Of each camera, if they are recorded apart. */
  camera?: string
  cameras?: Record_[]
}

export interface Candidate { id: string; name: string }

export interface Hello {
  op: 'hello'
  version: number; viewer: number; viewOnly: boolean
  now: Time
  source: Source | null; state: State | null; record: Record_ | null
  files: boolean
  candidates: Candidate[] | null
}

export interface StreamCounts { id: number; given: number; lost: number; sent: number; skipped: number }
export interface ViewerCounts { id: number; address: string; bytes: number; sent: number; skipped: number }

export interface Notification { op: 'notification'; time: Time; severity: string; category: string; text: string; data: string }
export type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal'
export interface Log { op: 'log'; time: Time; level: Level; node: string; text: string }

export type FromProgram =
  | Hello
  | { op: 'source'; source: Source | null; state: State | null; record?: Record_ | null }
  | { op: 'streams'; streams: Stream[] | null }
  | { op: 'candidates'; candidates: Candidate[] | null }
  | ({ op: 'state' } & State)
  | { op: 'options'; sensor: number; options: Option[] | null }
  | { op: 'option'; sensor: number; id: string | number; value: number }
  | ({ op: 'record' } & Record_)
  | { op: 'marks'; marks: Mark[] | null }
  | Notification
  | Log
  | { op: 'counts'; streams: StreamCounts[] | null; viewers: ViewerCounts[] | null }
  | { op: 'answer'; id: number; ok: boolean; error?: string;[result: string]: unknown }
  | { op: 'pong'; t: number; now: Time }

/** restore makes the numbers NaN for which JSON has null: they aren't finite in the recording. */
export function restore(m: FromProgram): void {
  const reals = (o: object, ...names: string[]) => { for (const n of names) (o as Record<string, unknown>)[n] ??= NaN }
  const list = (numbers: number[]) => numbers.forEach((v, i) => { numbers[i] = v ?? NaN })
  const options = (all?: Option[] | null) => all?.forEach((o) => reals(o, 'value', 'min', 'max', 'step', 'default'))
  if (m.op === 'option') reals(m, 'value')
  if (m.op === 'options') options(m.options)
  if (m.op !== 'hello' && m.op !== 'source') return
  m.source?.sensors?.forEach((s) => options(s.options))
  for (const { intrinsics, extrinsics, place } of m.source?.streams ?? []) {
    if (intrinsics) {
      reals(intrinsics, 'fx', 'fy', 'ppx', 'ppy')
      list(intrinsics.coeffs)
    }
    for (const e of [...Object.values(extrinsics ?? {}), ...(place ? [place] : [])]) {
      list(e.rotation)
      list(e.translation)
    }
  }
}

export type Codec = 'raw' | 'packed'
export type Divisor = 1 | 2 | 4

/** FileEntry is one recording of GET /api/files. */
export interface FileEntry {
  name: string
  size: number
  start: Time; end: Time
  messages: number
  streams: string[] | null
  kind?: string
  picture: boolean
  /** nothing else is known so far */
  pending?: boolean
  error?: string
}
