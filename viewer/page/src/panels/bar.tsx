import * as store from '../store'
import * as commands from '../commands'
import { IconButton, Segments } from '../controls'
import { bytes, seconds } from '../format'
import { panelShown, showPanel } from '../prefs'
import { text } from '../strings'
import { useViewer } from '../viewer'
import type { RecordRow } from '../proto/messages'

/** Bar is the top row: the source, 2D or 3D, recording, and the figures. */
export function Bar() {
  const f = store.figures.value
  return (
    <header class="bar">
      <IconButton icon="menu" label={text.menu} hotkey="[" pressed={panelShown('left')} onClick={() => showPanel('left')} />
      <SourceName />
      <Segments label={text.mode} value={store.mode.value} items={[['2d', '2D'], ['3d', '3D']]} onChange={(v) => { store.mode.value = v as store.Mode }} />
      {store.source.value && <RecordPart />}
      <span class="grow" />
      {store.source.value && (
        <p class="figures">
          <span title={text.latencyHint}>{text.latency} <b>{f.latency === null ? '–' : f.latency.toFixed(0)}</b> ms</span>
          <span title={text.fpsHint}><b>{f.fps === null ? '–' : f.drawn.toFixed(1)}</b> {text.of} <b>{f.fps === null ? '–' : f.fps.toFixed(1)}</b> {text.fps}</span>
          <span title={text.skippedHint}><b>{f.skipped}</b> {text.skipped}</span>
        </p>
      )}
      <IconButton icon="log" label={text.console} hotkey="`" pressed={store.drawer.value} onClick={() => { store.drawer.value = !store.drawer.value }} />
      <IconButton icon="gear" label={text.settings} onClick={() => { store.settings.value = true }} />
      <IconButton icon="keys" label={text.help} hotkey="?" onClick={() => { store.help.value = true }} />
      <IconButton icon="right" label={text.inspector} hotkey="]" pressed={panelShown('right')} onClick={() => showPanel('right')} />
    </header>
  )
}

function SourceName() {
  const viewer = useViewer()
  const s = store.source.value
  if (!s) return <h1 class="source-name"><span class="quiet">{text.title}</span></h1>
  const frozen = store.isLive.value && store.state.value?.playing === false
  return (
    <h1 class="source-name" title={s.file ?? s.name}>
      <span class="ellipsis">{s.kind === 'file' ? s.file ?? s.name : s.name}</span>
      {store.isLive.value && (
        <button type="button" class={frozen ? 'badge frozen' : 'badge live'} title={`${frozen ? text.play : text.freeze} (Space)`}
          aria-pressed={frozen} onClick={() => commands.playPause(viewer)}>{frozen ? text.frozen : text.live}</button>
      )}
      {store.viewOnly.value && <span class="badge">{text.viewOnly}</span>}
    </h1>
  )
}

/** A line of the recorder's table. */
function tableLine(r: RecordRow): string {
  return [
    r.name, r.type, r.publishers >= 0 && `${r.publishers} publisher${r.publishers === 1 ? '' : 's'}`, `${r.rate.toFixed(1)} Hz`, `${(r.speed / 1e6).toFixed(2)} MB/s`, `${r.messages} messages`,
    bytes(r.bytes), `${r.drops} dropped`, `${bytes(r.queue)} waiting`, `${r.lost} lost before arrival`,
  ].filter(Boolean).join('  ')
}

function RecordPart() {
  const viewer = useViewer()
  const r = store.record.value
  // The node says in a Record whether it can record the source.
  if (store.viewOnly.value || !r) return null
  if (!r.on) {
    return (
      <div class="record">
        <button type="button" class="record-button" title={`${text.startRecording} (Ctrl+Enter)`} onClick={() => commands.toggleRecord(viewer)}>
          <i class="dot" />{text.record}
        </button>
        <IconButton icon="chevron" label={text.recordTitle + '…'} onClick={() => { store.recordForm.value = true }} />
      </div>
    )
  }
  return (
    <div class="record on">
      <button type="button" class="record-button" title={`${text.stop} (Ctrl+Enter)`} onClick={() => commands.toggleRecord(viewer)}>
        <i class="square" />{text.stop}
      </button>
      <IconButton icon={r.paused ? 'play' : 'pause'} label={r.paused ? text.resumeRecording : text.pauseRecording} pressed={r.paused}
        onClick={() => void viewer.link.tell('record.pause', { on: !r.paused })} />
      <IconButton icon="split" label={text.splitRecording} onClick={() => void viewer.link.tell('record.split')} />
      <IconButton icon="pencil" label={text.markRecording} onClick={() => void viewer.link.tell('record.mark')} />
      {r.ring && <IconButton icon="pin" label={`${text.triggerRecording}: ${r.ring}`} onClick={() => void viewer.link.tell('record.trigger')} />}
      <p class="figures" title={[[r.file, r.compression].filter(Boolean).join('  '), ...[...(r.table ?? []), ...(r.total ? [r.total] : [])].map(tableLine)].join('\n')}>
        <span class={r.paused ? '' : 'recording'}><i class="dot" />{r.paused ? text.pausedRecording : text.recording} <b>{seconds(r.seconds)}</b></span>
        <span><b>{bytes(r.bytes)}</b></span>
        <span class="wide">{bytes(r.free)} {text.free}</span>
        {r.part > 1 && <span class="wide">{text.part} {r.part}</span>}
        {r.drops > 0 && <span class="warn">⚠ {r.drops} {text.drops}</span>}
        {r.upload && <span class="wide ellipsis" title={r.upload}>{r.upload}</span>}
      </p>
    </div>
  )
}
