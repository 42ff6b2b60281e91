// A tile: header with its tools, and a body by the kind of stream.
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import * as store from '../store'
import type { Rect } from '../grid'
import type { Stage } from '../gl/stage'
import { showInfo, showMetadata, showRuler } from '../prefs'
import type { StreamView } from '../streams'
import { text } from '../strings'
import { IconButton } from '../controls'
import { shortName, wallTime } from '../format'
import { isZoomed, resetZoom } from '../zoom'
import { MetadataTable } from './metadata'
import { tileOf } from './registry'
import { save, type SnapshotKind } from './snapshot'
import { useTick } from './tick'

/** hovered is the stream of the tile under the pointer, for keys. */
export const hovered = signal<StreamView | null>(null)

export function toggleMaximised(view: StreamView): void {
  store.maximised.value = store.maximised.value === view.info.id ? null : view.info.id
}

export function Tile({ view, rect, index, stage }: { view: StreamView; rect: Rect; index: number; stage: Stage }) {
  const kind = tileOf(view)!
  const name = shortName(view.info.name), big = store.maximised.value === view.info.id
  const video = view.info.kind === 'video' || view.frame?.picture !== undefined
  const recorded = store.record.value?.on && (store.record.value.streams?.includes(view.info.id) ?? false)
  const Body = kind.body
  return (
    <figure class={store.inspected.value === view.info.id ? 'tile picked' : 'tile'} aria-label={view.title}
      style={{ left: `${rect.x}px`, top: `${rect.y}px`, width: `${rect.width}px`, height: `${rect.height}px` }}
      onPointerEnter={() => {
        hovered.value = view
        store.inspected.value = view.info.id
      }}
      onPointerLeave={() => { if (hovered.value === view) hovered.value = null }}
      onFocusIn={() => {
        hovered.value = view
        store.inspected.value = view.info.id
      }}>
      <header class="tile-header">
        <figcaption title={`${view.key} · ${view.info.format}`} onDblClick={() => toggleMaximised(view)}>
          <strong>{name}</strong>
          <span class="quiet">{profile(view)}</span>
        </figcaption>
        {recorded && <span class="rec"><i class="dot" />{store.record.value!.paused ? text.pausedRecording : text.recording}</span>}
        {isZoomed(view) && <IconButton icon="reset" label={text.resetZoom} onClick={() => resetZoom(view)} />}
        {video && <IconButton icon="info" label={text.infoOverlay} pressed={showInfo.value} onClick={() => { showInfo.value = !showInfo.value }} />}
        {video && <IconButton icon="table" label={text.metadataTable} pressed={showMetadata.value} onClick={() => { showMetadata.value = !showMetadata.value }} />}
        {view.isDepth && <IconButton icon="ruler" label={text.ruler} pressed={showRuler.value} onClick={() => { showRuler.value = !showRuler.value }} />}
        <Snapshots view={view} stage={stage} />
        <IconButton icon={big ? 'restore' : 'maximise'} label={big ? text.restore : text.maximise} hotkey={index < 9 ? `Alt+${index + 1}` : undefined}
          onClick={() => toggleMaximised(view)} />
        <IconButton icon="close" label={text.hide} onClick={() => {
          store.hidden.value = new Set([...store.hidden.value, view.key])
          store.maximised.value = null
        }} />
      </header>
      <div class="tile-body">
        <Body view={view} />
        {video && showInfo.value && <Info view={view} />}
        {video && showMetadata.value && <Metadata view={view} />}
        <Waiting view={view} />
      </div>
    </figure>
  )
}

function profile({ info }: StreamView): string {
  if (info.kind === 'video') return `${info.width}×${info.height} ${info.format} · ${info.fps}`
  if (info.kind === 'motion') return `${info.fps} Hz`
  return info.type ?? ''
}

function Snapshots({ view, stage }: { view: StreamView; stage: Stage }) {
  const [open, setOpen] = useState(false)
  const layout = view.frame?.picture?.layout
  const kinds: [SnapshotKind, string][] = []
  if (view.info.kind === 'video' || layout) kinds.push(['png', text.savePNG])
  if (view.isDepth || layout === 'y16') kinds.push(['png16', text.savePNG16])
  if (view.info.kind === 'video' || layout) kinds.push(['raw', text.saveRaw])
  if (view.info.kind === 'motion' || view.info.kind === 'pose') kinds.push(['csv', text.saveCSV])
  if (kinds.length === 0) return null
  return (
    <div class="menu-anchor" onFocusOut={(e) => { if (!e.currentTarget.contains(e.relatedTarget as Node | null)) setOpen(false) }}
      onKeyDown={(e) => {
        if (e.key !== 'Escape' || !open) return
        setOpen(false)
        e.stopPropagation()
      }}>
      <IconButton icon="camera" label={text.snapshot} hotkey="P" pressed={open} onClick={() => setOpen(!open)} />
      {open && (
        <div class="menu">
          {kinds.map(([kind, label]) => (
            <button key={kind} type="button" onClick={() => {
              setOpen(false)
              void save(view, stage, kind)
            }}>{label}</button>
          ))}
        </div>
      )}
    </div>
  )
}

/** systemTime tells whether a clock domain is the computer's, which says little about when a frame was captured. */
const systemTime = (domain: string | undefined) => domain === 'System Time'

function Info({ view }: { view: StreamView }) {
  useTick(view, 100)
  const { frame } = view
  if (!frame) return null
  const { head, metadata } = frame, c = view.counters, fps = view.rate.fps
  return (
    <p class="info-overlay">
      <span class={systemTime(metadata.domain) ? 'warn' : ''} title={systemTime(metadata.domain) ? text.systemTime : metadata.domain}>
        {metadata.timestamp !== undefined ? `${metadata.timestamp.toFixed(1)} ms` : wallTime(String(head.time))}
      </span>
      <span>#{head.number}</span>
      <span>{view.info.width || frame.picture?.width}×{view.info.height || frame.picture?.height} {metadata.format ?? view.info.format}</span>
      <span>{fps === null ? '–' : fps.toFixed(2)} {text.fps}</span>
      <span title={text.latencyHint}>{view.latency === null ? '–' : `${view.latency.toFixed(0)} ms`}</span>
      <span title={`${text.given} = ${text.drawn} + ${text.skipped}`}>
        {text.drawn} {c.drawn} · {text.skipped} {c.skippedServer + c.skippedWorker + c.skippedRender}
      </span>
    </p>
  )
}

function Metadata({ view }: { view: StreamView }) {
  return <div class="metadata-overlay" onPointerDown={(e) => e.stopPropagation()} onWheel={(e) => e.stopPropagation()}><MetadataTable view={view} /></div>
}

/** After how long without a frame the tile says so, ms. */
const silence = 2000

function Waiting({ view }: { view: StreamView }) {
  const [since, setSince] = useState(-1)
  useEffect(() => {
    const begin = performance.now()
    const timer = setInterval(() => {
      const s = store.state.value, still = !s || !s.playing
      const quiet = performance.now() - (view.lastAt || begin)
      const rare = view.info.kind === 'topic' // messages may come once
      setSince(quiet < silence || ((still || rare) && view.frame) ? -1 : Math.floor(quiet / 1000))
    }, 500)
    return () => clearInterval(timer)
  }, [view])
  if (view.error.value) return <p class="tile-notice error" role="alert">{view.error.value}</p>
  if (since < 0) return null
  return <p class="tile-notice warn" role="status">{view.frame ? text.noFramesSince(since) : text.noFrames}</p>
}
