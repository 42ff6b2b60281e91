import { useEffect, useState } from 'preact/hooks'
import type { StreamView } from '../streams'

/** useStream subscribes to a stream while its tile is mounted. */
export function useStream(view: StreamView): void {
  useEffect(() => {
    const who = {}
    view.want(who)
    return () => view.release(who)
  }, [view])
}

/** Shortest interval between changes of a text, for readers, in ms. */
const pace = 100

/** useMessage subscribes to a stream and returns its newest message, updated at most ten times a second; the last one is never missed. */
export function useMessage<T>(view: StreamView): T | undefined {
  useStream(view)
  const [message, set] = useState(() => view.frame?.message as T | undefined)
  useEffect(() => {
    let timer = 0
    const stop = view.onDraw(() => {
      timer ||= setTimeout(() => {
        timer = 0
        set(() => view.frame?.message as T | undefined)
      }, pace) as unknown as number
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [view])
  return message
}
