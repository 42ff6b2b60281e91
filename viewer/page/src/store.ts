// The state of the page, as signals. link.ts fills it; panels and tiles read it.
import { computed, signal } from '@preact/signals'
import type { Candidate, FileEntry, Log, Mark, Notification, Option, Record_, Source, State, StreamCounts, ViewerCounts } from './proto/messages'
import type { StreamView } from './streams'

export const connected = signal(false)
/** Number of connections so far; the first isn't announced. */
export const connections = signal(0)
/** Why there is no connection, if that is known, and whether it is for want of a token. */
export const refused = signal('')
export const loggedOut = signal(false)
export const viewer = signal(0)
export const viewOnly = signal(false)
export const source = signal<Source | null>(null)
export const state = signal<State | null>(null)
export const record = signal<Record_ | null>(null)
/** recordings are those of the cameras, or the only one. */
export const recordings = (r: Record_ | null): Record_[] => r?.cameras ?? (r ? [r] : [])
export const hasFiles = signal(false)
export const files = signal<FileEntry[] | null>(null)
export const filesError = signal('')
/** filesTotal is the number of recordings that match the query; files has the first of them. */
export const filesTotal = signal(0)
export const filesQuery = signal('')
export const candidates = signal<Candidate[]>([])
/** The options of each sensor, by its id. */
export const options = signal<ReadonlyMap<number, Option[]>>(new Map())
export const views = signal<ReadonlyMap<number, StreamView>>(new Map())
export const counts = signal<ReadonlyMap<number, StreamCounts>>(new Map())
export const viewers = signal<ViewerCounts[]>([])
/** The marks of a recording, in time order. */
export const marks = signal<Mark[]>([])
/** Time of the mark last gone to, ns. */
export const markAt = signal<bigint | null>(null)
/** The console's lines, newest last. */
export const logs = signal<Log[]>([])
export const maxLogs = 1000

/** Lost frames per second of each stream over 100 s, newest last. */
export const drops = signal<ReadonlyMap<number, number[]>>(new Map())
export const dropsKept = 100

/** ms to add to the browser's clock to get the node's. */
export const clockOffset = signal(0)
export const roundTrip = signal<number | null>(null)

/** Figures of the bar, updated 4 times a second. */
export const figures = signal({ latency: null as number | null, fps: null as number | null, drawn: 0, skipped: 0 })

/** The stream of the tile under the pointer, or of the last one. */
export const inspected = signal<number | null>(null)
/** The stream whose tile fills the stage. */
export const maximised = signal<number | null>(null)
/** Streams that the user switched off, by their key. */
export const hidden = signal<ReadonlySet<string>>(new Set())

export type Mode = '2d' | '3d'
export const mode = signal<Mode>('2d')
export const drawer = signal(false)
export const help = signal(false)
export const settings = signal(false)
export const recordForm = signal(false)

export const isFile = computed(() => source.value?.kind === 'file')
export const isLive = computed(() => source.value !== null && !isFile.value)

export interface Toast {
  key: number
  level: 'info' | 'warn' | 'error'
  text: string
  detail?: string
  count: number
  /** performance.now() at which it disappears; Infinity if it is pinned. */
  until: number
}
export const toasts = signal<Toast[]>([])
let keys = 0

const toastTime = 10_000
const maxToasts = 6

/** toast shows a message for 10 s; if an equal one is visible, its count goes up instead. */
export function toast(level: Toast['level'], text: string, detail?: string): void {
  const until = performance.now() + toastTime
  const same = toasts.value.find((t) => t.text === text && t.level === level)
  if (same) {
    toasts.value = toasts.value.map((t) => t === same ? { ...t, count: t.count + 1, until: Math.max(t.until, until), detail: detail ?? t.detail } : t)
    return
  }
  const list = [...toasts.value, { key: ++keys, level, text, detail, count: 1, until }]
  // Remove the oldest; a pinned one only if there are no others.
  if (list.length > maxToasts) list.splice(Math.max(0, list.findIndex((t) => t.until !== Infinity)), 1)
  toasts.value = list
}

/** pin keeps a toast until it is dismissed, or lets it expire again. */
export function pin(key: number): void {
  const until = performance.now() + toastTime
  toasts.value = toasts.value.map((t) => t.key === key ? { ...t, until: t.until === Infinity ? until : Infinity } : t)
}

/** logged adds a line to the log. */
export function logged(line: Log): void { logs.value = [...logs.peek(), line].slice(-maxLogs) }

/** notified turns a device's notification into a toast. */
export function notified(n: Notification): void {
  const severity = n.severity.toLowerCase()
  const level = /error|fatal/.test(severity) ? 'error' : /warn/.test(severity) ? 'warn' : 'info'
  const words = n.text || n.category, detail = [n.category, n.severity, n.data].filter(Boolean).join(' · ')
  toast(level, words, detail)
  logged({ op: 'log', time: n.time, level, node: n.category, text: words })
}
