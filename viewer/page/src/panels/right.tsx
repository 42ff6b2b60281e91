import * as store from '../store'
import { Section } from '../controls'
import { bytes, count } from '../format'
import type { StreamView } from '../streams'
import { text } from '../strings'
import { MetadataTable } from '../tiles/metadata'
import { useTick } from '../tiles/tick'
import { pointed, readAt } from '../tiles/readout'
import { distance } from '../format'
import { useViewer } from '../viewer'
import { shownViews } from '../tiles/grid'
import { Histogram } from './histogram'

/** Right is the inspector: the frame of the tile under the pointer, and the other viewers. */
export function Right() {
  // Until a tile is pointed at, the first one.
  const view = store.views.value.get(store.inspected.value ?? -1) ?? shownViews()[0]
  return (
    <aside class="panel right" aria-label={text.inspector}>
      {view ? <Inspector key={view} view={view} /> : <p class="quiet padded">{text.inspectorEmpty}</p>}
      <Viewers />
    </aside>
  )
}

function Inspector({ view }: { view: StreamView }) {
  const video = view.info.kind === 'video'
  return (
    <>
      <h2 class="panel-title">{view.title}</h2>
      {video && <Section name="pixel" title={text.pixel}><Pixel view={view} /></Section>}
      {view.isDepth && <Section name="histogram" title={text.histogram}><Histogram view={view} /></Section>}
      <Section name="accounting" title={text.accounting}><Accounting view={view} /></Section>
      {video && <Section name="metadata" title={text.metadata}><MetadataTable view={view} /></Section>}
      {view.info.intrinsics && <Section name="intrinsics" title={text.intrinsics}><Intrinsics view={view} /></Section>}
    </>
  )
}

function Pixel({ view }: { view: StreamView }) {
  const { stage } = useViewer()
  useTick(view, 100)
  const at = pointed.value?.view === view ? pointed.value : null
  const value = at && stage.value ? readAt(view, stage.value, at.x, at.y) : null
  return (
    <p class="pixel">
      <span>{at ? `${at.x}, ${at.y}` : '–'}</span>
      <b>{value?.metres !== undefined ? (value.metres === 0 ? '–' : distance(value.metres)) : value?.hex ?? '–'}</b>
    </p>
  )
}

/** Accounting shows what became of every frame; each line is a stage that can leave frames out. */
function Accounting({ view }: { view: StreamView }) {
  useTick(view, 250)
  const c = view.counters, s = store.counts.value.get(view.info.id)
  const rows: [string, number | undefined][] = [
    [text.given, s?.given], [text.skippedServer, c.skippedServer], [text.received, c.received],
    [text.skippedWorker, c.skippedWorker], [text.skippedRender, c.skippedRender], [text.drawn, c.drawn], [text.lost, s?.lost],
  ]
  return <table class="facts numbers"><tbody>{rows.map(([k, v]) => <tr key={k}><th scope="row">{k}</th><td>{v === undefined ? '–' : count(v)}</td></tr>)}</tbody></table>
}

function Intrinsics({ view }: { view: StreamView }) {
  const i = view.info.intrinsics!
  const rows: [string, string][] = [
    ['Size', `${i.width} × ${i.height}`], ['fx, fy', `${i.fx.toFixed(3)}, ${i.fy.toFixed(3)}`], ['ppx, ppy', `${i.ppx.toFixed(3)}, ${i.ppy.toFixed(3)}`],
    ['Model', i.model], ['Coefficients', i.coeffs.map((c) => c.toPrecision(4)).join(' ')],
  ]
  if (view.info.depthUnits) rows.push(['Depth units', `${view.info.depthUnits} m`])
  return <table class="facts"><tbody>{rows.map(([k, v]) => <tr key={k}><th scope="row">{k}</th><td>{v}</td></tr>)}</tbody></table>
}

function Viewers() {
  const list = store.viewers.value
  if (list.length < 2) return null
  return (
    <Section name="viewers" title={text.viewers}>
      <table class="facts numbers">
        <tbody>{list.map((v) => (
          <tr key={v.id}>
            <th scope="row">{v.id === store.viewer.value ? text.thisViewer : v.address}</th>
            <td title={`${text.skipped} ${v.skipped}`}>{bytes(v.bytes)}</td>
          </tr>
        ))}</tbody>
      </table>
    </Section>
  )
}
