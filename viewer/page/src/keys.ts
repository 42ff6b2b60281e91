// Keyboard shortcuts; they apply only while no field has the focus.
import * as store from './store'
import * as commands from './commands'
import { equalise, letterKeys, showPanel } from './prefs'
import type { Viewer } from './viewer'
import { hovered } from './tiles/tile'
import { shownViews } from './tiles/grid'
import { save } from './tiles/snapshot'

/** editing reports whether the element handles keys itself. */
function editing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
}

/** The button that was last clicked, unless the focus was moved by keyboard since. */
let clicked: HTMLElement | null = null

/** pressing reports whether the element handles Space or Enter itself. Space isn't for a button that was only clicked: it plays. */
function pressing(e: KeyboardEvent): boolean {
  if ((e.key !== ' ' && e.key !== 'Enter') || !(e.target instanceof HTMLElement)) return false
  if (e.key !== ' ' || e.target !== clicked) return e.target.closest('button, a, input, summary, dialog') !== null
  clicked.blur()
  return false
}

export function followKeys(viewer: Viewer): void {
  addEventListener('pointerdown', (e) => { clicked = e.target instanceof Element ? e.target.closest('button') : null })
  addEventListener('keydown', (e) => {
    if (e.key === 'Tab') clicked = null
    if (e.defaultPrevented) return
    if (e.key === 'Enter' && e.ctrlKey) {
      e.preventDefault()
      const dialog = document.querySelector('dialog[open]')
      if (dialog) dialog.querySelector('form')?.requestSubmit()
      else commands.toggleRecord(viewer)
      return
    }
    if (!letterKeys.value && e.key.length === 1 && e.key !== ' ' && !e.altKey) return
    if (editing(e.target) || pressing(e) || e.ctrlKey || e.metaKey || document.querySelector('dialog[open]')) return
    if (act(e, viewer)) e.preventDefault()
  })
}

function maximise(n: number): boolean {
  const view = shownViews()[n - 1]
  if (!view) return false
  store.maximised.value = store.maximised.value === view.info.id ? null : view.info.id
  return true
}

function act(e: KeyboardEvent, viewer: Viewer): boolean {
  if (e.altKey) return /^Digit[1-9]$/.test(e.code) && maximise(Number(e.code.slice(5)))
  return view(e, viewer) || (store.isFile.value && playback(e, viewer))
}

function playback(e: KeyboardEvent, viewer: Viewer): boolean {
  const b = commands.bounds()
  switch (e.key) {
    case ',': commands.step(viewer, -1); return true
    case '.': commands.step(viewer, 1); return true
    case 'ArrowLeft': commands.seekBy(viewer, e.shiftKey ? -1 : -5); return true
    case 'ArrowRight': commands.seekBy(viewer, e.shiftKey ? 1 : 5); return true
    case 'ArrowUp': commands.seekBy(viewer, 60); return true
    case 'ArrowDown': commands.seekBy(viewer, -60); return true
    case 'Home': if (b) commands.seek(viewer, b.start); return true
    case 'End': if (b) commands.seek(viewer, b.end); return true
    case '+': case '=': commands.faster(viewer, 1); return true
    case '-': case '−': commands.faster(viewer, -1); return true
    case 'Backspace': commands.setRate(viewer, 1); return true
    case 'l': case 'L': commands.repeat(viewer); return true
    case 'n': commands.goToMark(viewer, 1); return true
    case 'N': commands.goToMark(viewer, -1); return true
    case 'i': case 'I': commands.setLoop(viewer, 0); return true
    case 'o': case 'O': commands.setLoop(viewer, 1); return true
  }
  return false
}

function view(e: KeyboardEvent, viewer: Viewer): boolean {
  switch (e.key) {
    case ' ': commands.playPause(viewer); return true
    case '2': store.mode.value = '2d'; return true
    case '3': store.mode.value = '3d'; return true
    case 'c': commands.nextMap(1); return true
    case 'C': commands.nextMap(-1); return true
    case 'v': return commands.nextDevice(viewer, 1)
    case 'V': return commands.nextDevice(viewer, -1)
    case 'e': case 'E': equalise.value = !equalise.value; return true
    case 'f': case 'F': case 'F8': commands.fullScreen(); return true
    case '[': showPanel('left'); return true
    case ']': showPanel('right'); return true
    case '`': store.drawer.value = !store.drawer.value; return true
    case '?': store.help.value = true; return true
    case '/': return searchOptions()
    case 'Escape':
      if (store.maximised.value === null) return false
      store.maximised.value = null
      return true
    case 'p': case 'P': {
      const target = hovered.value, stage = viewer.stage.value
      if (store.mode.value !== '2d' || !target || !stage) return false
      void save(target, stage, target.info.kind === 'video' ? 'png' : 'csv')
      return true
    }
  }
  return false
}

function searchOptions(): boolean {
  showPanel('left', true)
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#option-search')?.focus())
  return true
}
