// The table of a frame's metadata.
import type { StreamView } from '../streams'
import { fields, text } from '../strings'
import { useTick } from './tick'

/** rowsOf are the rows of the metadata table. */
export function rowsOf(view: StreamView): [string, string][] {
  const { frame, info } = view
  if (!frame) return []
  const { head, metadata } = frame, fps = view.rate.fps
  return [
    ['Frame Timestamp', metadata.timestamp !== undefined ? metadata.timestamp.toFixed(4) : '–'],
    ['Clock Domain', metadata.domain ?? '–'],
    ['Frame Number', String(head.number)],
    ['Hardware Size', `${info.width} × ${info.height}`],
    ['Display Size', `${head.width} × ${head.height}`],
    ['Pixel Format', metadata.format ?? info.format],
    ['Hardware FPS', String(info.fps)],
    ['Viewer FPS', fps === null ? '–' : fps.toFixed(2)],
    ...Object.entries(metadata.values ?? {}).map(([k, v]): [string, string] => [k, String(v)]),
  ]
}

export function MetadataTable({ view }: { view: StreamView }) {
  useTick(view, 100)
  const rows = rowsOf(view)
  if (rows.length === 0) return null
  const warn = Object.keys(view.frame?.metadata.values ?? {}).length === 0
  return (
    <>
      <table class="facts">
        <tbody>
          {rows.map(([k, v]) => <tr key={k} title={fields[k]}><th scope="row">{k}</th><td>{v}</td></tr>)}
        </tbody>
      </table>
      {warn && <p class="error">{text.noMetadata}</p>}
    </>
  )
}
