import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import * as store from '../store'
import { IconButton } from '../controls'
import { wallTime } from '../format'
import type { Level, Log } from '../proto/messages'
import { copy } from '../clipboard'
import { text } from '../strings'
import { download } from '../tiles/snapshot'

const groups: [string, Level[]][] = [[text.errors, ['error', 'fatal']], [text.warnings, ['warn']], [text.infos, ['info', 'debug']]]

const lineOf = (l: Log) => `${wallTime(l.time)} ${l.level.padEnd(5)} ${l.node}: ${l.text}`

/** Drawer shows the log, with counts and search, and lost frames. */
export function Drawer() {
  const search = useSignal(''), off = useSignal<string[]>([])
  const box = useRef<HTMLOListElement>(null), follow = useRef(true)
  const logs = store.logs.value, words = search.value.toLowerCase()
  const quiet = groups.filter(([g]) => off.value.includes(g)).flatMap(([, l]) => l)
  const list = logs.filter((l) => !quiet.includes(l.level) && (!words || lineOf(l).toLowerCase().includes(words)))
  useEffect(() => {
    if (follow.current && box.current) box.current.scrollTop = box.current.scrollHeight
  })
  const all = () => list.map(lineOf).join('\n') + '\n'
  return (
    <section class="drawer" aria-label={text.console}>
      <div class="log">
        <header>
          <h2>{text.console}</h2>
          {groups.map(([name, levels]) => (
            <button key={name} type="button" class={`chip ${levels[0]}`} aria-pressed={!off.value.includes(name)}
              onClick={() => { off.value = off.value.includes(name) ? off.value.filter((n) => n !== name) : [...off.value, name] }}>
              <b>{logs.filter((l) => levels.includes(l.level)).length}</b> {name}
            </button>
          ))}
          <input type="search" placeholder={text.search} aria-label={text.search} value={search.value} onInput={(e) => { search.value = e.currentTarget.value }} />
          <span class="grow" />
          <span class="links">
            <button type="button" onClick={() => copy(all())}>{text.copy}</button>
            <button type="button" onClick={() => download('log.txt', new Blob([all()], { type: 'text/plain' }))}>{text.save}</button>
            <button type="button" onClick={() => { store.logs.value = [] }}>{text.clear}</button>
          </span>
          <IconButton icon="close" label={text.close} hotkey="`" onClick={() => { store.drawer.value = false }} />
        </header>
        <ol ref={box} tabIndex={0} onScroll={(e) => {
          const b = e.currentTarget
          follow.current = b.scrollTop + b.clientHeight > b.scrollHeight - 8
        }}>
          {list.map((l, i) => (
            <li key={i} class={l.level}>
              <time>{wallTime(l.time)}</time><span class="level">{l.level}</span><span class="node">{l.node}</span><span>{l.text}</span>
            </li>
          ))}
        </ol>
      </div>
      <Drops />
    </section>
  )
}

/** Drops is a row of 100 bars for each stream that lost frames. */
function Drops() {
  const lossy = [...store.drops.value].filter(([, h]) => h.some((n) => n > 0))
  return (
    <div class="drops">
      <h2>{text.dropsTitle}</h2>
      {lossy.length === 0 && <p class="quiet">{text.noDrops}</p>}
      {lossy.map(([id, history]) => {
        const most = Math.max(...history), name = store.views.value.get(id)?.title ?? String(id)
        return (
          <div key={id} class="row">
            <span class="short ellipsis">{name}</span>
            <svg class="grow" viewBox={`0 0 ${store.dropsKept} 20`} preserveAspectRatio="none" role="img" aria-label={`${name}: ${history.at(-1)}`}>
              {history.map((n, i) => n > 0 && <rect key={i} x={store.dropsKept - history.length + i} y={20 - 20 * n / most} width={1} height={20 * n / most} />)}
            </svg>
            <span class="value">{history.at(-1)}</span>
          </div>
        )
      })}
    </div>
  )
}
