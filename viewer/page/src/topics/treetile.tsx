import { useRef, useState } from 'preact/hooks'
import { text } from '../strings'
import type { TileProps } from '../tiles/registry'
import { useMessage } from './frame'
import { childrenOf, cutOf, type JSONValue, summaryOf, timeText } from './tree'

/** TreeTile shows a message of any type as a collapsible tree. */
export function TreeTile({ view }: TileProps) {
  const message = useMessage<JSONValue>(view)
  const closed = useRef(new Set<string>())
  const [, redraw] = useState(0)
  if (message === undefined) return <div class="topic tree empty">{text.topic.noMessage}</div>
  const toggle = (path: string, open: boolean) => {
    if (closed.current.has(path) !== open) return
    if (open) closed.current.delete(path)
    else closed.current.add(path)
    redraw((n) => n + 1)
  }
  return (
    <div class="topic tree" tabIndex={0}>
      {childrenOf(message).map(([name, value]) => <Node key={name} name={name} path={name} value={value} closed={closed.current} toggle={toggle} />)}
    </div>
  )
}

interface NodeProps {
  name: string
  path: string
  value: JSONValue
  closed: ReadonlySet<string>
  toggle(path: string, open: boolean): void
}

function Node({ name, path, value, closed, toggle }: NodeProps) {
  const summary = summaryOf(value)
  const time = timeText(value)
  if (time !== null || typeof value !== 'object' || value === null || summary !== null) {
    return <div class="leaf"><span class="name">{name}</span><span class="value" title={time ?? undefined}>{summary ?? String(value)}</span></div>
  }
  const open = !closed.has(path)
  const cut = cutOf(value)
  return (
    <details open={open} onToggle={(e) => toggle(path, e.currentTarget.open)}>
      <summary><span class="name">{name}</span>{!open && <span class="value">{Array.isArray(value) ? text.topic.items(value.length - (cut > 0 ? 1 : 0) + cut) : '…'}</span>}</summary>
      {open && childrenOf(value).map(([k, v]) => (
        <Node key={k} name={k} path={`${path}.${k}`} value={v} closed={closed} toggle={toggle} />
      ))}
      {open && cut > 0 && <div class="leaf"><span class="name">…</span><span class="value">{text.topic.more(cut)}</span></div>}
    </details>
  )
}
