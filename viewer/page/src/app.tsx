import { useLayoutEffect, useRef } from 'preact/hooks'
import * as store from './store'
import { leftWidth, narrow, panelShown, theme } from './prefs'
import { Bar } from './panels/bar'
import { Left } from './panels/left'
import { Right } from './panels/right'
import { Playback } from './panels/playback'
import { Toasts } from './panels/toasts'
import { Grid } from './tiles/grid'
import { lazy } from './lazy'
import { noGL, Stage } from './gl/stage'
import { useViewer } from './viewer'
import { text } from './strings'

// What isn't shown at first is loaded when the user first goes there.
const Stage3D = lazy(async () => (await import('./three')).Stage3D)
const later = () => import('./panels/later')
const Drawer = lazy(async () => (await later()).Drawer)
const HelpDialog = lazy(async () => (await later()).HelpDialog)
const SettingsDialog = lazy(async () => (await later()).SettingsDialog)
const RecordDialog = lazy(async () => (await later()).RecordDialog)

export function App() {
  return (
    <div class="app" data-theme={theme.value}>
      <Bar />
      <div class="middle">
        {panelShown('left') && <Left />}
        {panelShown('left') && !narrow.value && <Divider />}
        <StageArea />
        {panelShown('right') && <Right />}
      </div>
      {store.isFile.value && <Playback />}
      {store.drawer.value && <Drawer />}
      <Toasts />
      {store.help.value && <HelpDialog />}
      {store.settings.value && <SettingsDialog />}
      {store.recordForm.value && <RecordDialog />}
    </div>
  )
}

/** Divider drags the left panel's width. */
function Divider() {
  const set = (w: number) => { leftWidth.value = Math.min(480, Math.max(240, w)) }
  return (
    <div class="divider" role="separator" aria-orientation="vertical" aria-label={text.menu} tabIndex={0}
      aria-valuenow={leftWidth.value} aria-valuemin={240} aria-valuemax={480}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={(e) => e.currentTarget.hasPointerCapture(e.pointerId) && set(e.clientX)}
      onKeyDown={(e) => {
        if (e.key === 'ArrowLeft') set(leftWidth.value - 16)
        else if (e.key === 'ArrowRight') set(leftWidth.value + 16)
        else return
        e.preventDefault()
        e.stopPropagation()
      }} />
  )
}

/** Unconnected says why the page isn't connected, and what to do. */
function Unconnected() {
  if (store.loggedOut.value) {
    return <p class="banner" role="alert">{text.loggedOut} <button type="button" onClick={() => location.reload()}>{text.logIn}</button></p>
  }
  if (store.connections.value === 0 && !store.refused.value) return null
  return <p class="banner" role="alert">{[store.connections.value > 0 && text.connectionEnded, store.refused.value, text.reconnecting].filter(Boolean).join('. ')}</p>
}

function StageArea() {
  const viewer = useViewer()
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    const stage = new Stage(canvas.current!, viewer.link)
    viewer.stage.value = stage
    const observer = new ResizeObserver(() => stage.resize())
    observer.observe(canvas.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <main class="stage">
      <canvas ref={canvas} aria-label={text.canvas} role="img" />
      {noGL.value !== '' && <p class="notice" role="alert">{noGL.value === 'lost' ? text.lostGL : text.noGL}</p>}
      {viewer.stage.value && (store.mode.value === '3d' ? <Stage3D stage={viewer.stage.value} /> : <Grid stage={viewer.stage.value} />)}
      {!store.connected.value && <Unconnected />}
    </main>
  )
}
