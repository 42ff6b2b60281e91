import { useEffect } from 'preact/hooks'
import * as store from '../store'
import { IconButton } from '../controls'
import { text } from '../strings'

/** Toasts are short messages at the bottom right; they stay while the pointer is over them. */
export function Toasts() {
  const list = store.toasts.value
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.querySelector('.toasts:hover')) return
      const now = performance.now(), left = store.toasts.peek().filter((t) => t.until > now)
      if (left.length !== store.toasts.peek().length) store.toasts.value = left
    }, 500)
    return () => clearInterval(timer)
  }, [])
  const drop = (key: number) => { store.toasts.value = store.toasts.value.filter((t) => t.key !== key) }
  return (
    <div class="toasts" role="status" aria-live="polite">
      {list.map((t) => (
        <div key={t.key} class={`toast ${t.level}`} role={t.level === 'error' ? 'alert' : undefined}>
          {t.detail ? <details class="grow"><summary>{t.text}{t.count > 1 && ` × ${t.count}`}</summary>{t.detail}</details>
            : <span class="grow">{t.text}{t.count > 1 && ` × ${t.count}`}</span>}
          <IconButton icon="pin" label={text.pin} pressed={t.until === Infinity} onClick={() => store.pin(t.key)} />
          <IconButton icon="close" label={text.dismiss} onClick={() => drop(t.key)} />
        </div>
      ))}
    </div>
  )
}
