import { useEffect, useState } from 'preact/hooks'
import { text } from '../strings'
import type { TileProps } from '../tiles/registry'
import type { TopicMessage } from './decode'
import { useStream } from './frame'
import { eulerText, FrameTree } from './tf'

/** Shortest interval between redraws of the rows, in ms. */
const pace = 150

/** TransformTile shows frames as a tree, each with its pose in its parent. */
export function TransformTile({ view }: TileProps) {
  useStream(view)
  const [tree] = useState(() => new FrameTree())
  const [, redraw] = useState(0)
  useEffect(() => {
    let timer = 0
    const take = (m: unknown) => {
      const message = m as TopicMessage | undefined
      if (message?.is === 'transforms') tree.take(message.transforms)
      timer ||= setTimeout(() => {
        timer = 0
        redraw((n) => n + 1)
      }, pace) as unknown as number
    }
    take(view.frame?.message)
    const stop = view.onDraw((f) => take(f.message))
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [view])
  const rows = tree.rows()
  if (rows.length === 0) return <div class="topic empty">{text.topic.noTransform}</div>
  return (
    <div class="topic" tabIndex={0}>
      <table class="frames">
        <thead><tr><th>{text.topic.frame}</th><th>{text.topic.translation}</th><th>{text.topic.rotation}</th></tr></thead>
        <tbody>
          {rows.map(({ frame, depth, transform: t }) => (
            <tr key={frame}>
              <td><span style={{ paddingLeft: `${depth * 14}px` }}>{depth > 0 && <span class="branch" aria-hidden>└ </span>}{frame}</span></td>
              <td>{t && t.translation.map((v) => v.toFixed(3)).join(', ')}</td>
              <td>{t && eulerText(t.rotation)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
