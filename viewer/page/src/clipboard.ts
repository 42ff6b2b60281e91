import * as store from './store'
import { text } from './strings'

/** copy puts text on the clipboard. Browsers offer the Clipboard API only to localhost and https pages. */
export function copy(words: string): void {
  const done = (ok: boolean) => store.toast(ok ? 'info' : 'error', ok ? text.copied : text.notCopied)
  if (navigator.clipboard) navigator.clipboard.writeText(words).then(() => done(true), () => done(selected(words)))
  else done(selected(words))
}

/** selected copies text as if the user had selected it. */
function selected(words: string): boolean {
  const field = document.createElement('textarea'), before = document.activeElement
  field.value = words
  document.body.append(field)
  field.select()
  const ok = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return ok
}
