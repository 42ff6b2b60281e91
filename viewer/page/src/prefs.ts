// Preferences in localStorage, and the state in the URL's fragment.
import { effect, signal, type Signal } from '@preact/signals'
import { names } from './depth/maps'
import { mode } from './store'

const prefix = 'rs-ros.view.'

/** stored is a signal kept in localStorage, if the browser allows it. */
export function stored<T>(name: string, initial: T): Signal<T> {
  let value = initial
  try {
    const text = localStorage.getItem(prefix + name)
    if (text !== null) {
      const parsed: unknown = JSON.parse(text)
      if (typeof parsed === typeof initial) value = parsed as T
    }
  } catch { /* the initial value stays */ }
  const s = signal(value)
  let first = true
  effect(() => {
    const text = JSON.stringify(s.value)
    if (first) {
      first = false
      return
    }
    try {
      localStorage.setItem(prefix + name, text)
    } catch { /* it is only a preference */ }
  })
  return s
}

export const colourMap = stored('map', 0)
export const equalise = stored('equalise', true)
export const minDistance = stored('min', 0)
export const maxDistance = stored('max', 6)
export const imperial = stored('imperial', false)
export const theme = stored<string>('theme', 'dark')
export const showInfo = stored('info', false)
export const showRuler = stored('ruler', true)
export const showMetadata = stored('metadata', false)
export const leftWidth = stored('left', 320)
/** Keys of one letter or sign act; people who speak to their computer switch them off. */
export const letterKeys = stored('letterKeys', true)
const leftOpen = stored('leftOpen', true)
const rightOpen = stored('rightOpen', true)
export const wire = stored<string>('wire', 'auto')

const query = matchMedia('(max-width: 900px)')
/** narrow reports whether the panels are sheets over the stage. */
export const narrow = signal(query.matches)
query.addEventListener('change', () => { narrow.value = query.matches })
/** The sheet that is open on a narrow screen. */
const sheet = signal<Side | null>(null)
export type Side = 'left' | 'right'
const opened = { left: leftOpen, right: rightOpen }

export function panelShown(side: Side): boolean { return narrow.value ? sheet.value === side : opened[side].value }

export function showPanel(side: Side, on = !panelShown(side)): void {
  if (narrow.value) sheet.value = on ? side : null
  else opened[side].value = on
}

/** packed reports whether streams are requested in packed form: by default, if the node is on another machine. */
export function packed(): boolean {
  if (wire.value !== 'auto') return wire.value === 'packed'
  return !/^(localhost|127\.|\[::1\])/.test(location.hostname)
}

/** presets are those of the SDK's depth visualization. */
export const presets = [
  { name: 'dynamic', map: 0, equalise: true, min: 0, max: 6 },
  { name: 'fixed', map: 0, equalise: false, min: 0, max: 6 },
  { name: 'near', map: 1, equalise: false, min: 0.3, max: 1.5 },
  { name: 'far', map: 0, equalise: false, min: 1, max: 16 },
] as const

/** setRange sets the distances at the ends of the map, and turns equalisation off, as the SDK does. */
export function setRange(min: number, max: number): void {
  minDistance.value = Math.min(16, Math.max(0, min))
  maxDistance.value = Math.min(16, Math.max(0, max))
  equalise.value = false
}

/** The device that this page requested; empty if it shows what other viewers see. */
export const device = signal('')

function parseFragment(): void {
  for (const part of location.hash.slice(1).split('&')) {
    const [key, value] = part.split('=')
    if (key === '2d' || key === '3d') mode.value = key
    const map = names.indexOf(value as typeof names[number])
    if (key === 'map' && map >= 0) colourMap.value = map
    if (key === 'device' && value) device.value = unescaped(value)
  }
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** followFragment keeps mode, colour map and device in the URL, and applies its changes. */
export function followFragment(): void {
  parseFragment()
  addEventListener('hashchange', parseFragment)
  effect(() => {
    const chosen = device.value && `&device=${encodeURIComponent(device.value)}`
    const hash = `#${mode.value}&map=${names[colourMap.value] ?? names[0]}${chosen}`
    if (location.hash !== hash) history.replaceState(null, '', hash)
  })
}
