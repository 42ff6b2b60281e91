import { useEffect, useRef, useState } from 'preact/hooks'
import type { StreamView } from '../streams'

/** useTick renders anew at most every ms while the stream's frames change. */
export function useTick(view: StreamView, ms: number): void {
  const [, set] = useState(0)
  const drawn = useRef(0)
  drawn.current = view.version
  useEffect(() => {
    const timer = setInterval(() => {
      if (view.version !== drawn.current) set(view.version)
    }, ms)
    return () => clearInterval(timer)
  }, [view])
}
