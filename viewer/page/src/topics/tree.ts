// Messages as JSON: which values a tree shows in one line, and which unfold.

export type JSONValue = null | boolean | number | string | JSONValue[] | { [name: string]: JSONValue }

/** Arrays of numbers up to this long are one line. */
const inLine = 64

/** isCut reports whether a value stands for values that the node left out. */
function isCut(v: JSONValue | undefined): v is { '…': number } {
  return typeof v === 'object' && v !== null && !Array.isArray(v) && typeof v['…'] === 'number' && Object.keys(v).length === 1
}

/** bigOf returns the digits of an integer that a number would round; null for other values. */
function bigOf(v: JSONValue): string | null {
  return typeof v === 'object' && v !== null && !Array.isArray(v) && typeof v['#'] === 'string' ? v['#'] : null
}

/** lineOf formats an element of an array in one line; null if it has more than one number. */
function lineOf(v: JSONValue): string | null {
  return v === null ? 'none' : typeof v === 'number' ? String(v) : bigOf(v)
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
  const line = lineOf(v)
  if (line !== null) return line
  if (typeof v !== 'object' || v === null) return String(v)
  if (!Array.isArray(v)) return stampOf(v) ?? (Object.keys(v).length === 0 ? '{}' : null)
  const cut = cutOf(v)
  const values = (cut > 0 ? v.slice(0, -1) : v).map(lineOf)
  if (values.length > inLine || values.includes(null)) return null
  const text = values.join(', ')
  return cut > 0 ? `[${text}, … ${cut} more]` : `[${text}]`
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
