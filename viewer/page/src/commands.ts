// The actions of buttons and keys.
import * as store from './store'
import { colourMap, device } from './prefs'
import { keys as maps } from './depth/maps'
import type { Viewer } from './viewer'
import { next } from './marks'
import { text } from './strings'

const rates = [0.01, 0.1, 0.25, 0.5, 1, 1.5, 2, 4, 8, 16, 32, 100]

/** bounds of the file's time, ns. */
export function bounds(): { start: bigint; end: bigint } | null {
  const s = store.source.value
  if (!s?.start || !s.end) return null
  const start = BigInt(s.start), end = BigInt(s.end)
  return end > start ? { start, end } : null
}

export const position = (): bigint | null => store.state.value?.position ? BigInt(store.state.value.position) : null

export function playPause({ link }: Viewer): void {
  const s = store.state.value
  if (s) void link.tell(s.playing ? 'pause' : 'play')
}

export function step({ link }: Viewer, sets: number): void {
  if (store.isFile.value) void link.tell('step', { sets })
}

export function setRate({ link }: Viewer, rate: number): void { void link.tell('rate', { rate }) }

/** faster selects the next usual rate, or the previous one. */
export function faster(viewer: Viewer, by: 1 | -1): void {
  const now = store.state.value?.rate ?? 1
  const next = by > 0 ? rates.find((r) => r > now * 1.001) : rates.findLast((r) => r < now * 0.999)
  if (next !== undefined) setRate(viewer, next)
}

export { rates }

export function repeat({ link }: Viewer): void { void link.tell('loop', { on: !store.state.value?.loop }) }

/** Seeker sends one seek at a time; meanwhile only the newest request waits. */
class Seeker {
  private busy = false
  private wanted: bigint | null = null
  /** Target of the last seek, until the node has reached it. */
  target: bigint | null = null

  to(viewer: Viewer, time: bigint): void {
    this.target = this.wanted = time
    if (!this.busy) void this.run(viewer)
  }

  private async run(viewer: Viewer): Promise<void> {
    this.busy = true
    while (this.wanted !== null) {
      const time = this.wanted
      this.wanted = null
      await viewer.link.tell('seek', { time: String(time), exact: true })
    }
    this.busy = false
    this.target = null
  }
}
const seeker = new Seeker()

export function seek(viewer: Viewer, time: bigint): void {
  const b = bounds()
  if (!b) return
  seeker.to(viewer, time < b.start ? b.start : time > b.end ? b.end : time)
}

export function seekBy(viewer: Viewer, seconds: number): void {
  const p = position()
  if (p !== null) seek(viewer, p + BigInt(Math.round(seconds * 1e9)))
}

/** While playing, a mark passed less than this ago isn't the previous one but is skipped, ns. */
const playedOn = 1_000_000_000n

/** goToMark seeks to the next or previous mark, and shows its text in the bar. */
export function goToMark(viewer: Viewer, by: 1 | -1): void {
  let from = seeker.target ?? position()
  if (from === null) return
  if (by < 0 && store.state.value?.playing) from -= playedOn
  const mark = next(from, by)
  if (!mark) return
  store.markAt.value = mark.time
  seek(viewer, mark.time)
}

/** setLoop puts one end of the loop at the position; the other, unless set, is the file's. */
export function setLoop(viewer: Viewer, end: 0 | 1, at = position()): void {
  const b = bounds()
  if (!b || at === null) return
  const had = store.state.value?.range, range: [bigint, bigint] = had ? [BigInt(had[0]), BigInt(had[1])] : [b.start, b.end]
  range[end] = at
  if (range[0] >= range[1]) range[1 - end as 0 | 1] = end === 0 ? b.end : b.start
  if (range[0] >= range[1]) return
  void viewer.link.tell('range', { range: range.map(String) })
}

export function clearLoop({ link }: Viewer): void { void link.tell('range', { range: null }) }

/** go seeks to a time (seconds or m:ss) from the start, or to frame set n ("#n"). */
export async function go(viewer: Viewer, words: string): Promise<boolean> {
  const trimmed = words.trim(), b = bounds()
  const set = /^#(\d+)$/.exec(trimmed)
  if (set) return await viewer.link.tell('seek', { set: Number(set[1]), exact: true }) !== undefined
  const time = /^(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d+)?)$/.exec(trimmed)
  if (!time || !b) {
    store.toast('error', text.badTime(words))
    return false
  }
  const seconds = Number(time[1] ?? 0) * 3600 + Number(time[2] ?? 0) * 60 + Number(time[3])
  seek(viewer, b.start + BigInt(Math.round(seconds * 1e9)))
  return true
}

export function nextMap(by: 1 | -1): void { colourMap.value = (colourMap.value + by + maps.length) % maps.length }

/** openDevice shows a device to all viewers. */
export async function openDevice({ link }: Viewer, id: string): Promise<void> {
  if (await link.tell('open', { device: id }) && store.source.peek()?.device === id) device.value = id // unless another viewer chose meanwhile
}

/** nextDevice shows the next device, or the previous one; it returns false if there is no choice. */
export function nextDevice(viewer: Viewer, by: 1 | -1): boolean {
  const list = store.candidates.value, n = list.length
  if (store.viewOnly.value || n < 2) return false
  const at = list.findIndex((c) => c.id === store.source.value?.device)
  void openDevice(viewer, list[at < 0 ? 0 : (at + by + n) % n]!.id)
  return true
}

export function toggleRecord({ link }: Viewer): void {
  if (store.viewOnly.value) return
  void link.tell(store.record.value?.on ? 'record.stop' : 'record.start')
}

export function fullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else void document.documentElement.requestFullscreen?.()
}
