import { effect, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton, Segments } from '../controls'
import type { Stage } from '../gl/stage'
import { imperial, stored } from '../prefs'
import type { StreamView } from '../streams'
import * as store from '../store'
import { text } from '../strings'
import { pixelsOf, save } from './download'
import { type Measuring, nothing, pointText } from './measure'
import { mount } from './mount'
import type { Picked } from './pick'
import { type Cloud, CloudScene, extrinsicsOf, relative, type Shading, type Tint } from './scene'

const shading = stored<Shading>('shading', 'points')
/** Name of the stream that colours the cloud; empty is depth itself. */
const texture = stored('texture', 'Color_0')
/** Key of the depth stream; empty is the first. */
const depthName = stored('depth', '')

/** Whether the depth of all cameras is shown together. */
const together = stored('together', true)

/** Colours of cameras, in their order. */
const tints: Tint[] = [[1, 0.72, 0.3], [0.35, 0.75, 1], [0.55, 0.95, 0.5], [1, 0.5, 0.7], [0.75, 0.6, 1], [0.95, 0.95, 0.5]]

/** calibrated reports whether a stream has intrinsics, all of them numbers. */
const calibrated = ({ info: { intrinsics: i } }: StreamView) => i !== undefined && [i.fx, i.fy, i.ppx, i.ppy, ...i.coeffs].every(Number.isFinite)

/** depthViews are the streams that points can be made of. */
function depthViews(): StreamView[] {
  return [...store.views.value.values()].filter((v) => v.info.format === 'Z16' && calibrated(v))
}

/** textureViews are the streams that can colour them. */
function textureViews(depth: StreamView): StreamView[] {
  return [...store.views.value.values()].filter((v) => v !== depth && v.info.kind === 'video' && v.info.format !== 'Z16' && calibrated(v) && extrinsicsOf(depth, v))
}

/** Stage3D shows a depth stream as a cloud, with the controls over it. */
export function Stage3D({ stage }: { stage: Stage }) {
  const above = useRef<HTMLCanvasElement>(null)
  const scene = useRef<CloudScene | null>(null)
  const under = useSignal<Picked | null>(null)
  const measured = useSignal<Measuring>(nothing)
  const measuring = useSignal(false)
  const depths = depthViews()
  const depth = depths.find((v) => v.key === depthName.value) ?? depths[0] ?? null
  const pictures = depth ? textureViews(depth) : []
  const picture = pictures.find((v) => v.info.name === texture.value) ?? null
  const cameras = [...new Set(depths.map((v) => v.info.camera))]
  const tintOf = (v: StreamView) => tints[cameras.indexOf(v.info.camera) % tints.length]!
  const others: Cloud[] = !depth || cameras.length < 2 || !together.value ? [] : depths.filter((v) => v.info.camera !== depth.info.camera).map((v) => ({
    depth: v, picture: textureViews(v).find((p) => p.info.name === texture.value) ?? null, place: relative(v, depth), tint: tintOf(v),
  }))

  useEffect(() => {
    const s = new CloudScene(above.current!, {
      changed: () => stage.redraw(),
      hovered: (p) => { under.value = p },
      measured: (m) => {
        measured.value = m
        measuring.value = s.space.measuring
      },
    })
    scene.current = s
    Object.assign(window, { scene3d: s })
    stage.show(s)
    const unmount = mount(s.space, above.current!)
    const stop = effect(() => {
      s.space.units = imperial.value ? 'imperial' : 'metric'
      stage.redraw()
    })
    return () => {
      stop()
      unmount()
    }
  }, [stage])

  useEffect(() => {
    const s = scene.current!
    if (s.depth !== depth) s.space.clearRulers()
    s.depth = depth
    s.picture = picture
    s.shading = shading.value
    s.others = others
    s.tint = depth && others.length > 0 ? tintOf(depth) : null
    const wanted = [depth, picture, ...others.flatMap((c) => [c.depth, c.picture])]
    for (const v of wanted) v?.want(s)
    stage.redraw()
    return () => { for (const v of wanted) v?.release(s) }
  }, [stage, depth, picture, shading.value, together.value, store.views.value, texture.value])

  const savePLY = () => {
    const s = scene.current!, p = picture?.frame?.picture, number = depth?.frame?.head.number
    const file = s.ply(shading.value !== 'points', p ? pixelsOf(p) : null)
    if (file && depth) save(file, `${depth.key.replace(/\W+/g, '_')}_${number}.ply`)
    else store.toast('info', text.three.nothing)
  }
  const space = () => scene.current!.space
  const rulers = measured.value.rulers.length > 0
  return (
    <div class={measuring.value ? 'space3d measuring' : 'space3d'}>
      <canvas ref={above} class="space" tabIndex={0} role="application" aria-label={text.three.label} aria-describedby="space-readout" />
      {!depth && <p class="notice">{text.three.noDepth}</p>}
      {depth && (
        <div class="strip" role="toolbar" aria-label={text.three.tools}>
          {depths.length > 1 && <Select label={text.three.source} view={depth} views={depths} set={(v) => { depthName.value = v?.key ?? '' }} />}
          <Select label={text.three.texture} view={picture} views={pictures} none={text.three.byDepth} set={(v) => { texture.value = v?.info.name ?? '' }} />
          <Segments label={text.three.shading} value={shading.value} items={text.three.shadings} onChange={(v) => { shading.value = v as Shading }} />
          {cameras.length > 1 && <label class="pick"><input type="checkbox" checked={together.value} onChange={(e) => { together.value = e.currentTarget.checked }} />{text.three.together}</label>}
          <span class="gap" />
          <IconButton icon="ruler" label={text.three.measure} hotkey="M" pressed={measuring.value} onClick={() => space().measure(!space().measuring)} />
          <IconButton icon="undo" label={text.three.undo} hotkey="Z" disabled={measured.value.past.length === 0} onClick={() => space().undo()} />
          <IconButton icon="close" label={text.three.clear} disabled={!rulers} onClick={() => space().clearRulers()} />
          <span class="gap" />
          <IconButton icon="reset" label={text.three.reset} hotkey="R" onClick={() => {
            space().camera.reset()
            stage.redraw()
          }} />
          <IconButton icon="download" label={text.three.ply} onClick={savePLY} />
        </div>
      )}
      {others.length > 0 && depth && (
        <ul class="space-cameras">
          {[{ depth, place: true as unknown, tint: tintOf(depth) }, ...others].map((c) => (
            <li key={c.depth.key}>
              <i class="dot" style={{ background: `rgb(${c.tint.map((x) => 255 * x)})` }} />{c.depth.info.camera}
              {!c.place && <span class="warn"> {text.three.noPlace}</span>}
            </li>
          ))}
        </ul>
      )}
      <output id="space-readout" class="space-readout">
        {under.value ? pointText(under.value.point, imperial.value ? 'imperial' : 'metric') : measuring.value ? text.three.hint(rulers) : ''}
      </output>
    </div>
  )
}

interface SelectProps { label: string; view: StreamView | null; views: StreamView[]; none?: string; set(view: StreamView | undefined): void }

function Select({ label, view, views, none, set }: SelectProps) {
  return (
    <label class="pick">
      <span>{label}</span>
      <select value={view?.info.id ?? ''} onChange={(e) => set(views.find((v) => String(v.info.id) === e.currentTarget.value))}>
        {none && <option value="">{none}</option>}
        {views.map((v) => <option key={v.info.id} value={v.info.id}>{v.title}</option>)}
      </select>
    </label>
  )
}
