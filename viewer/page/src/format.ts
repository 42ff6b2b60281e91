// Numbers and times as text.
import { imperial } from './prefs'

const foot = 0.3048
const nbsp = ' '

/** metres formats a distance in the user's units: millimetres if near, 3 decimals. */
export function distance(m: number, small = m < 0.25): string {
  if (imperial.value) return `${(m / foot).toFixed(3)}${nbsp}ft`
  return small ? `${(m * 1000).toFixed(0)}${nbsp}mm` : `${m.toFixed(3)}${nbsp}m`
}

export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let i = 0
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000
    i++
  }
  return `${i === 0 ? n.toFixed(0) : n.toFixed(n < 10 ? 2 : n < 100 ? 1 : 0)}${nbsp}${units[i]}`
}

/** clock formats a duration in ns as h:mm:ss.mmm, without hours if there are none. */
export function clock(ns: bigint, decimals = 3): string {
  const negative = ns < 0n
  let ms = Number((negative ? -ns : ns) / 1_000_000n)
  const h = Math.floor(ms / 3_600_000)
  ms -= h * 3_600_000
  const m = Math.floor(ms / 60_000)
  ms -= m * 60_000
  const s = Math.floor(ms / 1000), rest = Math.floor(ms - s * 1000)
  const tail = decimals > 0 ? '.' + String(rest).padStart(3, '0').slice(0, decimals) : ''
  return `${negative ? '−' : ''}${h}:${String(m).padStart(2, '0')}:${String(s).padStart(2, '0')}${tail}`
}

export function seconds(s: number): string {
  const m = Math.floor(s / 60)
  return `${String(m).padStart(2, '0')}:${String(Math.floor(s % 60)).padStart(2, '0')}`
}

export function count(n: number): string { return n.toLocaleString('en') }

/** stepText formats a value with as many decimals as its step, and with all digits if it isn't a multiple of that. */
export function stepText(value: number, step: number): string {
  const rounded = value.toFixed(step > 0 && step < 1 ? Math.min(9, Math.ceil(-Math.log10(step) - 1e-9)) : 0)
  return Number.isInteger(value) || Math.fround(Number(rounded)) !== Math.fround(value) ? String(value) : rounded
}

/** shortName makes a stream's name readable: Infrared_1 → Infrared 1, Depth_0 → Depth. */
export function shortName(name: string): string {
  return name.startsWith('/') ? name : name.replace(/_0$/, '').replace(/_/g, ' ')
}

/** wallTime formats a time in ns since 1970 as hh:mm:ss.mmm. */
export function wallTime(ns: string): string {
  const d = new Date(Number(BigInt(ns) / 1_000_000n))
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}.${String(d.getMilliseconds()).padStart(3, '0')}`
}
