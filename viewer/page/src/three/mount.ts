import { letterKeys } from '../prefs'
import { Controls } from './controls'
import type { Space } from './space'

/** fields are the elements that keys are typed into. */
const fields = 'input, select, textarea, dialog, [contenteditable]'

/**
 * mount steers a space by an element: pointer and wheel, and keys while it, the
 * elements around it or nothing has focus. It returns how to stop that.
 */
export function mount(space: Space, element: HTMLElement): () => void {
  const controls = new Controls(space, element)
  const stop = new AbortController(), { signal } = stop
  addEventListener('keydown', (e) => {
    if (e.key === 'Shift') space.chain = true
    if (!letterKeys.value && e.key.length === 1) return
    const at = e.target instanceof Element ? e.target : document.body
    if (at.closest(fields) || (at !== document.body && !element.parentElement?.contains(at))) return
    if (controls.key(e)) e.preventDefault()
  }, { signal })
  addEventListener('keyup', (e) => { if (e.key === 'Shift') space.chain = false }, { signal })
  return () => {
    stop.abort()
    controls.close()
  }
}
