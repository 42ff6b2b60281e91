import { useEffect, useState } from 'preact/hooks'
import type { StreamView } from '../streams'

/** useTick renders anew at most every ms while the stream's frames change. */
export function useTick(view: StreamView, ms: number): void {
  const [, set] = useState(0)
  useEffect(() => {
    let last = view.version
    const timer = setInterval(() => {
      if (view.version !== last) set(last = view.version)
    }, ms)
    return () => clearInterval(timer)
  }, [view])
}
