import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { text } from './strings'
import { toast } from './store'

/** lazy is a component whose module is loaded at its first use. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function Lazy(props: P) {
    const [, set] = useState(false)
    useEffect(() => {
      if (!loaded) load().then((c) => { loaded = c; set(true) }, (e: unknown) => toast('error', String(e)))
    }, [])
    const Loaded = loaded
    return Loaded ? <Loaded {...props} /> : <p class="notice quiet">{text.loading}</p>
  }
}
