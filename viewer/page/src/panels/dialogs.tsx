import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import * as store from '../store'
import { Check, Choice, IconButton } from '../controls'
import { imperial, letterKeys, theme, wire } from '../prefs'
import { keyList } from '../keylist'
import { text } from '../strings'
import { useViewer } from '../viewer'

function Dialog({ title, close, children }: { title: string; close(): void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => { element.current!.showModal() }, [])
  return (
    <dialog ref={element} aria-label={title} onClose={close} onClick={(e) => { if (e.target === e.currentTarget) close() }}>
      <header><h2>{title}</h2><IconButton icon="close" label={text.close} onClick={close} /></header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

export function HelpDialog() {
  return (
    <Dialog title={text.help} close={() => { store.help.value = false }}>
      <div class="key-list">
        {keyList.map(([group, list]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>{list.map(([keys, what]) => <div key={keys}><dt>{keys.split(' ').map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

export function SettingsDialog() {
  return (
    <Dialog title={text.settings} close={() => { store.settings.value = false }}>
      <Choice label={text.theme} value={theme.value} items={Object.entries(text.themes)} onChange={(v) => { theme.value = v }} />
      <Choice label={text.units} value={imperial.value ? 'imperial' : 'metric'} items={[['metric', text.metric], ['imperial', text.imperial]]} onChange={(v) => { imperial.value = v === 'imperial' }} />
      <Choice label={text.wire} value={wire.value} items={Object.entries(text.wires)} onChange={(v) => { wire.value = v }} />
      <Check label={text.letterKeys} checked={letterKeys.value} onChange={(on) => { letterKeys.value = on }} />
      <p class="quiet"><a href="licenses.txt" target="_blank" rel="noreferrer">{text.licences}</a></p>
    </Dialog>
  )
}

export function RecordDialog() {
  const { link } = useViewer()
  const [name, setName] = useState(''), [compression, setCompression] = useState('')
  const [minutes, setMinutes] = useState(''), [gigabytes, setGigabytes] = useState('')
  const close = () => { store.recordForm.value = false }
  const start = async (e: Event) => {
    e.preventDefault()
    const fields: Record<string, unknown> = {}
    if (compression) fields.compression = compression // a running node refuses any but its own
    if (name.trim()) fields.name = name.trim()
    if (Number(minutes) > 0) fields.splitSeconds = Number(minutes) * 60
    if (Number(gigabytes) > 0) fields.splitBytes = Math.round(Number(gigabytes) * 1e9)
    if (await link.tell('record.start', fields)) close()
  }
  return (
    <Dialog title={text.recordTitle} close={close}>
      <form onSubmit={(e) => void start(e)}>
        <label class="row"><span class="grow">{text.recordName}</span>
          <input type="text" autofocus maxLength={64} placeholder={text.recordNameHint} value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>
        <Choice label={text.compression} value={compression} items={Object.entries(text.compressions)} onChange={setCompression} />
        <div class="row"><span class="grow">{text.splitEvery}</span>
          <label><input type="number" class="number" min={0} step="any" value={minutes} onInput={(e) => setMinutes(e.currentTarget.value)} /> {text.splitMinutes}</label>
          <label><input type="number" class="number" min={0} step="any" value={gigabytes} onInput={(e) => setGigabytes(e.currentTarget.value)} /> {text.splitSize}</label></div>
        <div class="row"><span class="grow" /><button type="submit" class="primary"><i class="dot" />{text.startRecording}</button></div>
      </form>
    </Dialog>
  )
}
