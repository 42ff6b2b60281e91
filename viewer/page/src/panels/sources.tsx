import { useSignal } from '@preact/signals'
import * as store from '../store'
import { IconButton, Section } from '../controls'
import { bytes, clock, count } from '../format'
import type { FileEntry } from '../proto/messages'
import { text } from '../strings'
import { useViewer } from '../viewer'
import { openDevice } from '../commands'

/** Sources shows the device's card, the available devices, and the library. */
export function Sources() {
  const viewer = useViewer()
  const s = store.source.value, devices = store.candidates.value
  const opening = useSignal('')
  const open = async (what: string, opened: Promise<unknown>) => {
    opening.value = what
    await opened
    opening.value = ''
  }
  return (
    <Section name="sources" title={text.sources}
      aside={store.hasFiles.value && <IconButton icon="refresh" label={text.refresh} onClick={() => void viewer.link.listFiles()} />}>
      {s && <Card />}
      {!store.viewOnly.value && devices.map((d) => (
        <button key={d.id} type="button" class="entry" aria-current={s?.device === d.id || undefined} disabled={opening.value !== ''}
          onClick={() => void open(d.id, openDevice(viewer, d.id))}>
          <i class="dot" /><span class="grow ellipsis">{d.name}</span><span class="quiet">{s?.device === d.id ? text.shown : text.open}</span>
        </button>
      ))}
      {store.hasFiles.value && <Files opening={opening.value} open={(file) => void open(file, viewer.link.tell('open', { file }))} />}
      {!s && devices.length === 0 && !store.hasFiles.value && store.connected.value && <p class="quiet">{text.noSources}</p>}
    </Section>
  )
}

function Card() {
  const s = store.source.value!
  const slow = (key: string, value: string) => /usb/i.test(key) && !/^3/.test(value)
  return (
    <details class="card">
      <summary><strong class="ellipsis">{s.name}</strong></summary>
      {(s.info?.length ?? 0) > 0 && (
        <table class="facts">
          <tbody>{s.info!.map(([k, v]) => <tr key={k}><th scope="row">{k}</th><td class={slow(k, v) ? 'warn' : ''} title={v}>{v}</td></tr>)}</tbody>
        </table>
      )}
    </details>
  )
}

function Files({ opening, open }: { opening: string; open(file: string): void }) {
  const viewer = useViewer()
  const list = store.files.value, query = store.filesQuery.value, more = store.filesTotal.value - (list?.length ?? 0)
  const search = (words: string) => {
    store.filesQuery.value = words
    void viewer.link.listFiles()
  }
  if (!list) return store.filesError.value ? <p class="error" role="alert">{store.filesError.value}</p> : null
  if (list.length === 0 && !query) return <p class="quiet">{text.noFiles}</p>
  return (
    <>
      {(list.length > 8 || query) && <input type="search" class="wide" placeholder={text.filter} aria-label={text.filter} title={text.searchHelp} value={query}
        onInput={(e) => search(e.currentTarget.value)} />}
      {store.filesError.value && <p class="error" role="alert">{store.filesError.value}</p>}
      <ul class="files">
        {list.map((f) => (
          <li key={f.name}>
            <button type="button" class="file" aria-current={store.source.value?.file === f.name || undefined} disabled={opening !== '' || store.viewOnly.value || !!f.error}
              title={f.error ?? f.name} onClick={() => open(f.name)}>
              {f.picture && <img src={`api/files/${f.name.split('/').map(encodeURIComponent).join('/')}/thumbnail`} alt="" loading="lazy" width={64} height={48}
                onError={(e) => { e.currentTarget.hidden = true }} />}
              <span class="grow">
                <span class="ellipsis">{f.name}</span>
                <span class={f.error ? 'error ellipsis' : 'quiet'}>{f.error ?? facts(f)}</span>
              </span>
              {opening === f.name && <i class="spinner" />}
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && <button type="button" class="wide" onClick={() => void viewer.link.listFiles(true)}>{text.moreFiles(more)}</button>}
    </>
  )
}

function facts(f: FileEntry): string {
  const seconds = f.start && f.end ? clock(BigInt(f.end) - BigInt(f.start), 1) + ' · ' : ''
  if (f.pending) return bytes(f.size)
  return `${seconds}${bytes(f.size)} · ${count(f.messages)} ${text.messages}`
}
