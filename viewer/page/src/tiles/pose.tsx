import { useEffect, useRef } from 'preact/hooks'
import type { TileProps } from './registry'
import { useTick } from './tick'

/** PoseBody lists what a pose has. */
export function PoseBody({ view }: TileProps) {
  const who = useRef({})
  useEffect(() => {
    view.want(who.current)
    return () => view.release(who.current)
  }, [view])
  useTick(view, 100)
  const pose = view.frame?.message
  if (typeof pose !== 'object' || pose === null) return null
  return (
    <table class="facts padded">
      <tbody>{Object.entries(pose).map(([k, v]) => <tr key={k}><th scope="row">{words(k)}</th><td>{numbers(v)}</td></tr>)}</tbody>
    </table>
  )
}

const words = (name: string) => name.replace(/([A-Z])/g, ' $1').replace(/^./, (c) => c.toUpperCase())

function numbers(v: unknown): string {
  if (typeof v === 'number') return Number.isInteger(v) ? String(v) : v.toFixed(4)
  if (typeof v === 'object' && v !== null) return Object.values(v).map(numbers).join(', ')
  return String(v)
}
