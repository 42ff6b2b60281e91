import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import * as store from '../store'
import * as commands from '../commands'
import { IconButton } from '../controls'
import { clock } from '../format'
import { at as markNear, spots } from '../marks'
import { text } from '../strings'
import { useViewer } from '../viewer'

/** Playback is the bar at the bottom while a recording is open. */
export function Playback() {
  const viewer = useViewer()
  const s = store.state.value
  if (!s) return null
  return (
    <footer class="playback" aria-label={text.position}>
      <div class="transport">
        <IconButton icon="back" label={text.stepBack} hotkey="," onClick={() => commands.step(viewer, -1)} />
        <button type="button" class="icon-button play" aria-label={s.playing ? text.pause : text.play} title={`${s.playing ? text.pause : text.play} (Space)`} onClick={() => commands.playPause(viewer)}>
          <PlayIcon playing={s.playing} />
        </button>
        <IconButton icon="forward" label={text.stepForward} hotkey="." onClick={() => commands.step(viewer, 1)} />
        <IconButton icon="repeat" label={text.repeat} hotkey="L" pressed={s.loop} onClick={() => commands.repeat(viewer)} />
        <Rate />
      </div>
      <SeekBar />
      <Position />
    </footer>
  )
}

function PlayIcon({ playing }: { playing: boolean }) {
  return <svg class="icon solid" viewBox="0 0 16 16" aria-hidden="true"><path d={playing ? 'M3.500 2.500h3v11h-3zM9.500 2.500h3v11h-3z' : 'M4 2v12l9.500-6z'} /></svg>
}

function Rate() {
  const viewer = useViewer()
  const rate = store.state.value?.rate ?? 1
  const known = commands.rates.includes(rate)
  return (
    <select class="rate" aria-label={text.rate} title={`${text.rate} (+ −)`} value={String(rate)} onChange={(e) => commands.setRate(viewer, Number(e.currentTarget.value))}>
      {!known && <option value={String(rate)}>×{Number(rate.toPrecision(3))}</option>}
      {commands.rates.map((r) => <option key={r} value={String(r)}>×{r}</option>)}
    </select>
  )
}

/** SeekBar shows the position, the loop's ends as handles, and a mark per event. Dragging shows frames on the way. */
function SeekBar() {
  const viewer = useViewer()
  const bar = useRef<HTMLDivElement>(null)
  const dragging = useSignal<'position' | 0 | 1 | null>(null), target = useSignal<bigint | null>(null), hover = useSignal<number | null>(null)
  const b = commands.bounds(), s = store.state.value
  if (!b || !s) return <div class="seek" />
  const span = b.end - b.start
  const part = (t: bigint) => Math.min(1, Math.max(0, Number(t - b.start) / Number(span)))
  const percent = (t: bigint) => `${part(t) * 100}%`
  const at = (x: number) => {
    const box = bar.current!.getBoundingClientRect(), f = Math.min(1, Math.max(0, (x - box.left) / box.width))
    return b.start + BigInt(Math.round(f * Number(span)))
  }
  const shown = dragging.value === 'position' && target.value !== null ? target.value : commands.position() ?? b.start
  const range = s.range?.map(BigInt) as [bigint, bigint] | undefined
  const move = (x: number) => {
    hover.value = part(at(x))
    if (dragging.value === null) return
    const t = target.value = at(x)
    if (dragging.value === 'position') commands.seek(viewer, t)
  }
  const width = bar.current?.clientWidth || 1
  const marked = hover.value === null ? undefined : markNear(b.start + BigInt(Math.round(hover.value * Number(span))), span * 4n / BigInt(width))
  const near = (t: bigint) => t - shown < noted && shown - t < noted
  const told = store.markAt.value !== null && near(store.markAt.value) ? markNear(store.markAt.value, 0n) : undefined
  const inSeconds = (t: bigint) => (Number(t - b.start) / 1e9).toFixed(3)
  return (
    <div class="seek" ref={bar} role="slider" tabIndex={0} aria-label={text.position} aria-valuemin={0} aria-valuemax={Number(span) / 1e9}
      aria-valuenow={Number(shown - b.start) / 1e9} aria-valuetext={text.positionOf(inSeconds(shown), inSeconds(b.end))}
      onPointerDown={(e) => {
        if (e.button !== 0) return
        bar.current!.setPointerCapture(e.pointerId)
        const end = (e.target as HTMLElement).dataset.end
        dragging.value = end === undefined ? 'position' : end === '0' ? 0 : 1
        move(e.clientX)
      }}
      onPointerMove={(e) => move(e.clientX)}
      onPointerUp={() => {
        if (typeof dragging.value === 'number' && target.value !== null) commands.setLoop(viewer, dragging.value, target.value)
        dragging.value = target.value = null
      }}
      onPointerCancel={() => { dragging.value = target.value = null }}
      onPointerLeave={() => { hover.value = null }}>
      <div class="track">
        {range && <i class="loop" style={{ left: percent(range[0]), width: `${(part(range[1]) - part(range[0])) * 100}%` }} />}
        <i class="done" style={{ width: percent(shown) }} />
        {spots.value.map((m) => <i key={m.time} class={`mark ${m.kind}`} style={{ left: percent(m.time) }} />)}
      </div>
      {range?.map((t, i) => {
        const here = dragging.value === i && target.value !== null ? target.value : t
        return <i key={i} class="loop-end" data-end={i} title={i === 0 ? `${text.loopIn} (I)` : `${text.loopOut} (O)`} style={{ left: percent(here) }} />
      })}
      <i class="knob" style={{ left: percent(shown) }} />
      {hover.value !== null && <Hint at={hover.value}>{marked ? marked.lines : [clock(BigInt(Math.round(hover.value * Number(span))))]}</Hint>}
      <div role="status">{told && hover.value === null && <Hint at={part(told.time)}>{told.lines}</Hint>}</div>
    </div>
  )
}

/** Distance from the position up to which the mark last gone to keeps its text, ns. */
const noted = 1_500_000_000n

/** Hint is a text above a position of the bar, kept within its ends. */
function Hint({ at, children }: { at: number; children: string[] }) {
  return <div class="seek-hover" style={{ left: `${at * 100}%`, transform: `translateX(-${at * 100}%)` }}>{children.map((line, i) => <p key={i}>{line}</p>)}</div>
}

function Position() {
  const viewer = useViewer()
  const editing = useSignal(false)
  const b = commands.bounds(), p = commands.position(), s = store.state.value!
  if (!b) return null
  const sets = store.source.value?.frameSets
  return (
    <div class="times">
      {s.range && <IconButton icon="close" label={text.clearLoop} onClick={() => commands.clearLoop(viewer)} />}
      {editing.value ? (
        <input type="text" class="goto" aria-label={text.gotoTime} placeholder={text.gotoHint} title={text.gotoHint} ref={(e) => e?.focus()}
          onBlur={() => { editing.value = false }}
          onKeyDown={(e) => {
            if (e.key === 'Escape') editing.value = false
            if (e.key === 'Enter') void commands.go(viewer, e.currentTarget.value).then((ok) => { if (ok) editing.value = false })
          }} />
      ) : (
        <button type="button" class="position" title={`${text.gotoTime}: ${text.gotoHint}`} onClick={() => { editing.value = true }}>
          <b>{clock((p ?? b.start) - b.start)}</b> / {clock(b.end - b.start)}
          <span class="quiet">{s.set !== null && s.set !== undefined ? `${text.set} ${s.set}${sets ? ` / ${sets - 1}` : ''}` : ''}{s.ended ? ` · ${text.ended}` : s.stalled ? ` · ${text.stalled}` : ''}</span>
        </button>
      )}
    </div>
  )
}
