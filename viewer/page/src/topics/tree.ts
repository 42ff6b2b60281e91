// Messages as JSON: which values a tree shows in one line, and which unfold.

export type JSONValue = null | boolean | number | string | JSONValue[] | { [name: string]: JSONValue }

/** Arrays of numbers up to this long are one line. */
const inLine = 64

/** isCut reports whether a value stands for values that the node left out. */
function isCut(v: JSONValue | undefined): v is { '…': number } {
  return typeof v === 'object' && v !== null && !Array.isArray(v) && typeof v['…'] === 'number' && Object.keys(v).length === 1
}

/** cutOf returns the number of an array's values that were left out. */
export function cutOf(v: JSONValue): number {
  const last = Array.isArray(v) ? v[v.length - 1] : undefined
  return isCut(last) ? last['…'] : 0
}

/** childrenOf returns the members of an object or array with their names. */
export function childrenOf(v: JSONValue): [string, JSONValue][] {
  if (typeof v !== 'object' || v === null) return []
  if (!Array.isArray(v)) return Object.entries(v)
  const all = v.map((e, i): [string, JSONValue] => [String(i), e])
  return cutOf(v) > 0 ? all.slice(0, -1) : all
}

/** summaryOf returns the line for a value that doesn't unfold: times and lists of numbers; null for others. */
export function summaryOf(v: JSONValue): string | null {
  if (typeof v === 'string') return JSON.stringify(v)
  if (typeof v === 'number') return numberText(v)
  if (v === null) return 'none'
  if (typeof v === 'boolean') return String(v)
  if (!Array.isArray(v)) {
    const t = stampOf(v)
    return t === null ? (Object.keys(v).length === 0 ? '{}' : null) : t
  }
  const cut = cutOf(v)
  const values = cut > 0 ? v.slice(0, -1) : v
  if (values.length > inLine || values.some((e) => typeof e !== 'number' && e !== null)) return null
  const text = values.map((e) => (typeof e === 'number' ? numberText(e) : 'none')).join(', ')
  return cut > 0 ? `[${text}, … ${cut} more]` : `[${text}]`
}

/** numberText formats integers in full and floats with seven significant digits. */
export function numberText(v: number): string {
  if (Number.isInteger(v)) return String(v)
  return String(Number(v.toPrecision(7)))
}

function stampOf(v: { [name: string]: JSONValue }): string | null {
  const { secs, nsecs } = v
  if (typeof secs !== 'number' || typeof nsecs !== 'number' || Object.keys(v).length !== 2) return null
  return `${secs}.${String(nsecs).padStart(9, '0')}`
}

/** timeText formats a ROS time as a date; null for other values and times before 2000. */
export function timeText(v: JSONValue): string | null {
  if (typeof v !== 'object' || v === null || Array.isArray(v) || stampOf(v) === null) return null
  const secs = v['secs'] as number
  return secs > 946684800 ? new Date(secs * 1000).toISOString().replace('.000Z', ' UTC').replace('T', ' ') : null
}
