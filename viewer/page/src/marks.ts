// Marks on the bar: losses, notifications and option changes of a recording. Those that
// would cover each other are one.
import { computed } from '@preact/signals'
import * as store from './store'
import { clock } from './format'
import type { Mark } from './proto/messages'
import { text } from './strings'

/** Spot is a place on the bar that has marks. */
export interface Spot {
  time: bigint
  /** Of the most serious of its marks. */
  kind: Mark['kind']
  lines: string[]
}

const serious: Mark['kind'][] = ['option', 'notification', 'loss']
/** Marks nearer than a part of the bar's length are one spot: about a third of a tick's width on a wide screen. */
const parts = 1000n
const maxLines = 5

/** spots are the places of the bar that have marks, in order. */
export const spots = computed<Spot[]>(() => {
  const s = store.source.value
  if (!s?.start || !s.end) return []
  const start = BigInt(s.start), near = (BigInt(s.end) - start) / parts
  const list: Spot[] = []
  const left = new Map<Spot, number>()
  for (const m of store.marks.value) {
    const time = BigInt(m.time)
    let spot = list.at(-1)
    if (!spot || time - spot.time > near) list.push(spot = { time, kind: m.kind, lines: [] })
    if (serious.indexOf(m.kind) > serious.indexOf(spot.kind)) spot.kind = m.kind
    if (spot.lines.length < maxLines) spot.lines.push(lineOf(m))
    else left.set(spot, (left.get(spot) ?? 0) + 1)
  }
  for (const [spot, n] of left) spot.lines.push(text.moreMarks(n))
  for (const spot of list) spot.lines.unshift(clock(spot.time - start))
  return list
})

function lineOf(m: Mark): string {
  const name = m.stream === undefined ? undefined : store.views.peek().get(m.stream)?.title
  return `${name ?? text.marks[m.kind] ?? m.kind}: ${m.text}`
}

/** next is the spot after a time, or the one before it. */
export function next(from: bigint, by: 1 | -1): Spot | undefined {
  return by > 0 ? spots.value.find((s) => s.time > from) : spots.value.findLast((s) => s.time < from)
}

/** at is the spot nearest to a time, if it is within reach. */
export function at(time: bigint, reach: bigint): Spot | undefined {
  let best: Spot | undefined, distance = reach
  for (const s of spots.value) {
    const d = s.time > time ? s.time - time : time - s.time
    if (d <= distance) [best, distance] = [s, d]
  }
  return best
}
