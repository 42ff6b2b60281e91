import { add, cross, distance, length, normalize, scale, sub, Vec3 } from './matrix'

/** Number of states that undo keeps. */
const history = 100

/** Units of displayed lengths. */
export type Units = 'metric' | 'imperial'

/** Ruler is one measurement: a point, a distance, a chain, or the outline of an area. */
export interface Ruler {
  points: readonly Vec3[]
  /** The last point is joined to the first. */
  closed: boolean
}

/** Measuring is all rulers; the last may still be growing. */
export interface Measuring {
  rulers: readonly Ruler[]
  /** States before, oldest first. */
  past: readonly (readonly Ruler[])[]
}

export const nothing: Measuring = { rulers: [], past: [] }

/** Knob is a point of a ruler, by its indices. */
export interface Knob {
  ruler: number
  point: number
}

function changed(m: Measuring, rulers: readonly Ruler[]): Measuring {
  return { rulers, past: [...m.past, m.rulers].slice(-history) }
}

/**
 * click adds a point. The second point of a ruler completes it, and the next click
 * starts another; if chain is set, it continues from the last point instead. A chain
 * of three points or more that comes back to its first point (on is that knob)
 * becomes an area.
 */
export function click(m: Measuring, at: Vec3, chain: boolean, on: Knob | null = null): Measuring {
  const last = m.rulers.length - 1
  const open = m.rulers[last]
  if (!open || open.closed || (open.points.length > 1 && !chain)) {
    return changed(m, [...m.rulers, { points: [at], closed: false }])
  }
  const closes = on !== null && on.ruler === last && on.point === 0 && open.points.length > 2
  const grown = closes ? { points: open.points, closed: true } : { points: [...open.points, at], closed: false }
  return changed(m, [...m.rulers.slice(0, last), grown])
}

/** grab begins to drag a point; undo returns to this state. */
export const grab = (m: Measuring): Measuring => changed(m, m.rulers)

/** drag moves a point without adding a state. */
export function drag(m: Measuring, knob: Knob, to: Vec3): Measuring {
  const rulers = m.rulers.map((r, i) =>
    i === knob.ruler ? { ...r, points: r.points.map((p, k) => (k === knob.point ? to : p)) } : r,
  )
  return { rulers, past: m.past }
}

/** undo returns the previous state. */
export function undo(m: Measuring): Measuring {
  const before = m.past[m.past.length - 1]
  return before ? { rulers: before, past: m.past.slice(0, -1) } : m
}

/** clear removes all rulers; undo restores them. */
export const clear = (m: Measuring): Measuring => (m.rulers.length ? changed(m, []) : m)

/** parts returns the segments of a ruler. */
export function parts(r: Ruler): [Vec3, Vec3][] {
  const out: [Vec3, Vec3][] = []
  for (let i = 1; i < r.points.length; i++) out.push([r.points[i - 1]!, r.points[i]!])
  if (r.closed) out.push([r.points[r.points.length - 1]!, r.points[0]!])
  return out
}

/** total is the length of all segments in metres. */
export const total = (r: Ruler): number => parts(r).reduce((sum, [a, b]) => sum + distance(a, b), 0)

/**
 * area returns the area of a polygon in space in m²: half the length of the sum of the cross
 * products of its corners, which is exact for a flat one.
 */
export function area(points: readonly Vec3[]): number {
  let sum: Vec3 = [0, 0, 0]
  const first = points[0]!
  for (let i = 1; i + 1 < points.length; i++) sum = add(sum, cross(sub(points[i]!, first), sub(points[i + 1]!, first)))
  return length(sum) / 2
}

/** centre is the mean of points. */
export function centre(points: readonly Vec3[]): Vec3 {
  const sum = points.reduce<Vec3>((s, p) => add(s, p), [0, 0, 0])
  return scale(sum, 1 / points.length)
}

/** stripes returns the points between a and b where a ruler changes colour: every cm, or every 10 cm beyond 0.5 m. */
export function stripes(a: Vec3, b: Vec3): Vec3[] {
  const l = distance(a, b)
  const every = l > 0.5 ? 0.1 : 0.01
  const way = normalize(sub(b, a))
  const out: Vec3[] = [a]
  for (let i = 1; i * every < l && i < 1000; i++) out.push(add(a, way, i * every))
  out.push(b)
  return out
}

const inch = 0.0254, foot = 0.3048, yard = 0.9144; // m

/** digits formats a number with three significant digits. */
const digits = (v: number): string => (v >= 100 ? v.toFixed(0) : v.toPrecision(3))

/** lengthText formats a length in metres. */
export function lengthText(m: number, units: Units = 'metric'): string {
  if (units === 'imperial') {
    if (m < foot) return `${digits(m / inch)} in`
    return m < yard ? `${digits(m / foot)} ft` : `${digits(m / yard)} yd`
  }
  if (m < 0.01) return `${digits(m * 1000)} mm`
  return m < 1 ? `${digits(m * 100)} cm` : `${digits(m)} m`
}

/** areaText formats an area in square metres. */
export function areaText(m2: number, units: Units = 'metric'): string {
  if (units === 'imperial') return m2 < foot * foot ? `${digits(m2 / inch / inch)} in²` : `${digits(m2 / foot / foot)} ft²`
  return m2 < 0.01 ? `${digits(m2 * 1e4)} cm²` : `${digits(m2)} m²`
}

/** pointText formats x, y and z. */
export function pointText(p: Vec3, units: Units = 'metric'): string {
  const f = units === 'imperial' ? 1 / foot : 1
  return `${p.map((v) => (v * f).toFixed(3)).join(', ')} ${units === 'imperial' ? 'feet' : 'meters'}`
}
