import * as store from './store'
import { text } from './strings'

/** copy puts words on the clipboard. Only pages of this machine and of https have the clipboard's own interface. */
export function copy(words: string): void {
  const done = (ok: boolean) => store.toast(ok ? 'info' : 'error', ok ? text.copied : text.notCopied)
  if (navigator.clipboard) navigator.clipboard.writeText(words).then(() => done(true), () => done(selected(words)))
  else done(selected(words))
}

/** selected copies words as a user would who selects them. */
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
