import { useEffect, useRef } from 'preact/hooks'
import * as store from '../store'
import { Check, Choice, Section } from '../controls'
import { table } from '../depth/maps'
import { colourMap, equalise, imperial, maxDistance, minDistance, presets, setRange } from '../prefs'
import { text } from '../strings'

/** DepthColours shows the options of the SDK's depth visualization. */
export function DepthColours() {
  if (![...store.views.value.values()].some((v) => v.isDepth)) return null
  const is = (p: typeof presets[number]) => p.map === colourMap.value && p.equalise === equalise.value &&
    (p.equalise || (p.min === minDistance.value && p.max === maxDistance.value))
  const preset = presets.find(is)
  return (
    <Section name="depth" title={text.depth}>
      <Choice label={text.preset} value={preset?.name ?? ''} items={[...(preset ? [] : [['', '–'] as [string, string]]), ...presets.map((p): [string, string] => [p.name, text.presets[p.name]])]}
        onChange={(name) => {
          const p = presets.find((q) => q.name === name)
          if (!p) return
          colourMap.value = p.map
          minDistance.value = p.min
          maxDistance.value = p.max
          equalise.value = p.equalise
        }} />
      <Choice label={text.colourMap} value={String(colourMap.value)} items={text.maps.map((m, i): [string, string] => [String(i), m])} onChange={(v) => { colourMap.value = Number(v) }} />
      <MapStrip />
      <Check label={text.equalise} checked={equalise.value} onChange={(on) => { equalise.value = on }} />
      <Distance label={text.near} value={minDistance.value} onChange={(v) => setRange(v, Math.max(v, maxDistance.value))} />
      <Distance label={text.far} value={maxDistance.value} onChange={(v) => setRange(Math.min(v, minDistance.value), v)} />
      <Choice label={text.units} value={imperial.value ? 'imperial' : 'metric'} items={[['metric', text.metric], ['imperial', text.imperial]]} onChange={(v) => { imperial.value = v === 'imperial' }} />
    </Section>
  )
}

function MapStrip() {
  const canvas = useRef<HTMLCanvasElement>(null), map = colourMap.value
  useEffect(() => {
    const t = table(map), n = t.length / 4, image = new ImageData(256, 1)
    for (let x = 0; x < 256; x++) {
      const at = 4 * Math.min(n - 1, Math.floor(x / 255 * (n - 1)))
      image.data.set(t.subarray(at, at + 4), 4 * x)
    }
    canvas.current!.getContext('2d')!.putImageData(image, 0, 0)
  }, [map])
  return <canvas ref={canvas} class="map-strip" width={256} height={1} aria-hidden="true" />
}

function Distance({ label, value, onChange }: { label: string; value: number; onChange(v: number): void }) {
  return (
    <label class={equalise.value ? 'row inactive' : 'row'}>
      <span class="short">{label}</span>
      <input type="range" class="grow" min={0} max={16} step={0.1} value={value} aria-valuetext={`${value.toFixed(1)} m`} onInput={(e) => onChange(e.currentTarget.valueAsNumber)} />
      <output class="value">{value.toFixed(1)} m</output>
    </label>
  )
}
