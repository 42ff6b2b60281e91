import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import * as store from '../store'
import { IconButton, Section, SensorName } from '../controls'
import { stepText } from '../format'
import type { Option } from '../proto/messages'
import { text } from '../strings'
import { useViewer } from '../viewer'

/** Options shows the options of all sensors, with search. */
export function Options() {
  const search = useSignal('')
  const sensors = (store.source.value?.sensors ?? []).filter((s) => (store.options.value.get(s.id)?.length ?? 0) > 0)
  if (sensors.length === 0) return null
  const words = search.value.toLowerCase().trim().split(/\s+/)
  const matches = (o: Option) => words.every((w) => o.name.toLowerCase().includes(w) || o.description.toLowerCase().includes(w))
  const found = sensors.map((s) => ({ sensor: s, list: store.options.value.get(s.id)!.filter(matches) })).filter((f) => f.list.length > 0)
  return (
    <Section name="options" title={text.options}>
      <input id="option-search" type="search" class="wide" placeholder={`${text.searchOptions}  ( / )`} aria-label={text.searchOptions} value={search.value}
        onInput={(e) => { search.value = e.currentTarget.value }}
        onKeyDown={(e) => {
          if (e.key !== 'Escape') return
          search.value = ''
          e.currentTarget.blur()
        }} />
      {store.isFile.value && <p class="quiet">{text.recorded}</p>}
      {found.map(({ sensor, list }) => (
        <fieldset key={sensor.id} class="group">
          <SensorName of={sensor} />
          {list.map((o) => <OptionRow key={o.id} sensor={sensor.id} option={o} />)}
        </fieldset>
      ))}
      {found.length === 0 && <p class="quiet">{text.noOptions}</p>}
    </Section>
  )
}

const isSwitch = (o: Option) => o.min === 0 && o.max === 1 && o.step === 1 && !o.labels

function OptionRow({ sensor, option: o }: { sensor: number; option: Option }) {
  const viewer = useViewer()
  const locked = o.readOnly || store.isFile.value || store.viewOnly.value
  const set = (value: number) => void viewer.link.tell('option', { sensor, option: o.id, value })
  const shown = o.labels?.[String(o.value)] ?? stepText(o.value, o.step)
  const label = <span class="grow ellipsis">{o.name}</span>
  if (locked) {
    return <div class="row option locked" title={o.description}>{label}<span class="value">{isSwitch(o) ? (o.value ? '✓' : '–') : shown}</span></div>
  }
  if (isSwitch(o)) {
    return (
      <label class="row option" title={o.description}>
        {label}<input type="checkbox" role="switch" checked={o.value !== 0} onChange={(e) => set(e.currentTarget.checked ? 1 : 0)} />
      </label>
    )
  }
  if (o.labels && (o.max - o.min) / (o.step || 1) <= 64) {
    return (
      <label class="row option" title={o.description}>
        {label}
        <select value={String(o.value)} onChange={(e) => set(Number(e.currentTarget.value))}>
          {Object.entries(o.labels).map(([v, t]) => <option key={v} value={v}>{t}</option>)}
        </select>
      </label>
    )
  }
  return <Slider option={o} set={set} />
}

function Slider({ option: o, set }: { option: Option; set(value: number): void }) {
  const [typing, setTyping] = useState(false)
  const [dragged, setDragged] = useState<number | null>(null)
  const value = dragged ?? o.value, words = stepText(value, o.step)
  return (
    <div class="option" title={o.description}>
      <div class="row">
        <span class="grow ellipsis">{o.name}</span>
        {typing ? (
          <input type="number" class="number" aria-label={o.name} min={o.min} max={o.max} step={o.step || 'any'} defaultValue={String(o.value)}
            ref={(e) => e?.focus()}
            onBlur={() => setTyping(false)}
            onKeyDown={(e) => {
              if (e.key === 'Escape') setTyping(false)
              if (e.key !== 'Enter') return
              // The browser explains why a number is out of range.
              if (!e.currentTarget.reportValidity()) return
              set(e.currentTarget.valueAsNumber)
              setTyping(false)
            }} />
        ) : (
          <>
            <IconButton icon="reset" label={`${text.reset}: ${stepText(o.default, o.step)}`} disabled={o.value === o.default} onClick={() => set(o.default)} />
            <button type="button" class="value number-button" title={`${o.min} … ${o.max}`} aria-label={`${o.name}: ${words}`} onClick={() => setTyping(true)}>{words}</button>
          </>
        )}
      </div>
      <input type="range" class="wide" aria-label={o.name} min={o.min} max={o.max} step={o.step || 'any'} value={value}
        onInput={(e) => setDragged(e.currentTarget.valueAsNumber)}
        onChange={(e) => {
          set(e.currentTarget.valueAsNumber)
          setDragged(null)
        }} />
    </div>
  )
}
