import { useEffect, useState } from 'preact/hooks'
import * as store from '../store'
import { Check, Section, SensorName } from '../controls'
import { shortName } from '../format'
import type { StreamView } from '../streams'
import { text } from '../strings'

/** Streams switches tiles on and off, by sensor. */
export function Streams() {
  const views = [...store.views.value.values()]
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 500)
    return () => clearInterval(timer)
  }, [])
  if (views.length === 0) return null
  const sensors = new Map<number, StreamView[]>()
  for (const v of views) sensors.set(v.info.sensor, [...sensors.get(v.info.sensor) ?? [], v])
  const sensorOf = (id: number) => store.source.value?.sensors?.find((s) => s.id === id)
  return (
    <Section name="streams" title={text.streams} aside={
      <span class="links">
        <button type="button" onClick={() => { store.hidden.value = new Set() }}>{text.allStreams}</button>
        <button type="button" onClick={() => { store.hidden.value = new Set(views.map((v) => v.key)) }}>{text.noneStreams}</button>
      </span>
    }>
      {[...sensors].map(([id, list]) => (
        <fieldset key={id} class="group">
          <SensorName of={sensorOf(id)} />
          {list.map((v) => {
            const fps = v.info.kind === 'motion' ? null : v.rate.fps
            const lost = store.counts.value.get(v.info.id)?.lost ?? 0
            return (
              <Check key={v.info.id} checked={!store.hidden.value.has(v.key)} title={`${v.info.name} · ${v.info.format}`}
                label={<span class="stream"><span class="ellipsis">{shortName(v.info.name)}</span><span class="quiet">{profile(v)}</span></span>}
                aside={<span class="value">{lost > 0 && <span class="warn" title={text.lost}>⚠ {lost} </span>}{fps === null || !v.wanted ? '' : fps.toFixed(1)}</span>}
                onChange={(on) => {
                  const next = new Set(store.hidden.value)
                  if (on) next.delete(v.key)
                  else next.add(v.key)
                  store.hidden.value = next
                }} />
            )
          })}
        </fieldset>
      ))}
    </Section>
  )
}

function profile({ info }: StreamView): string {
  if (info.kind === 'video') return `${info.width}×${info.height} ${info.format} ${info.fps} Hz`
  if (info.kind === 'motion') return `${info.fps} Hz`
  return info.type ?? ''
}
