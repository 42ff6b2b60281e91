// The page's end of the worker: it fills the store, subscribes to what tiles
// want, gives credit, and sends requests.
import { batch, effect } from '@preact/signals'
import type { FileEntry, FromProgram, Source, State, Stream } from './proto/messages'
import type { Frame, FromWorker, ToWorker } from './proto/frames'
import * as store from './store'
import { device, equalise, packed, wire } from './prefs'
import { StreamView } from './streams'
import { crowded } from './topics/crowd'
import { text } from './strings'

export type Answer = Extract<FromProgram, { op: 'answer' }>

interface Open { resolve(answer: Answer): void; reject(error: Error): void }

/** Delay before the next attempt to connect, ms. */
const retries = [250, 500, 1000, 2000, 5000]

export class Link {
  private readonly worker: Worker
  private readonly open = new Map<number, Open>()
  private readonly subscribed = new Map<number, string>()
  private best = Infinity
  private listAgain = 0
  /** What was hidden for want of room, unless the user has changed it. */
  private crowd: ReadonlySet<string> = new Set()
  /** Time of the newest log line, ns. */
  private logged = 0n
  private ids = 0
  private tries = 0
  /** Called when frames have arrived, for the stage to draw them. */
  onFrames: () => void = () => {}

  constructor(private readonly url: string) {
    this.worker = new Worker(new URL('worker.js', location.href), { type: 'module' })
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.message(data)
    effect(() => this.post({ do: 'equalise', on: equalise.value }))
    effect(() => {
      void wire.value
      for (const view of store.views.peek().values()) this.subscribe(view)
    })
    document.addEventListener('visibilitychange', () => {
      for (const view of store.views.peek().values()) this.subscribe(view)
    })
    this.post({ do: 'open', url })
  }

  /** request sends a request and resolves with the answer, or rejects with the node's error. */
  request(op: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    if (!store.connected.peek()) return Promise.reject(new Error(text.notConnected))
    const id = ++this.ids
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject })
      this.send({ op, id, ...fields })
    })
  }

  /** tell is a request whose failure is shown as a toast; it then resolves with undefined. */
  async tell(op: string, fields: Record<string, unknown> = {}): Promise<Answer | undefined> {
    try {
      return await this.request(op, fields)
    } catch (e) {
      store.toast('error', e instanceof Error ? e.message : String(e))
      return undefined
    }
  }

  /** recycle returns a frame's buffers to the worker. Nothing may read them afterwards. */
  recycle(frame: Frame | null): void {
    const p = frame?.picture
    if (!p) return
    if (p.pixels instanceof ImageBitmap) {
      p.pixels.close()
      return
    }
    const buffers = [p.pixels.buffer as ArrayBuffer]
    if (p.fractions) buffers.push(p.fractions.buffer as ArrayBuffer)
    this.worker.postMessage({ do: 'recycle', buffers } satisfies ToWorker, buffers)
  }

  /** credit acknowledges a frame and all before it as drawn or left out. */
  credit(view: StreamView, seq: number): void {
    this.send({ op: 'credit', stream: view.info.id, upto: seq })
  }

  private post(message: ToWorker): void { this.worker.postMessage(message) }
  private send(message: object): void { this.post({ do: 'send', text: JSON.stringify(message) }) }

  private message(m: FromWorker): void {
    switch (m.is) {
      case 'open':
        this.tries = 0
        return
      case 'closed': return this.closed(m.reason)
      case 'text': return batch(() => this.text(m.message, m.at))
      case 'frame': return this.frame(m.frame)
      case 'broken': {
        const view = store.views.peek().get(m.stream)
        if (!view || m.epoch !== view.epoch) return
        view.error.value = m.error
        view.counters.received += m.skipped
        view.counters.skippedWorker += m.skipped
        this.credit(view, m.seq)
      }
    }
  }

  private closed(reason: string): void {
    store.connected.value = false
    this.subscribed.clear()
    this.best = Infinity
    for (const { reject } of this.open.values()) reject(new Error(text.connectionLost))
    this.open.clear()
    if (reason) store.toast('error', reason)
    void this.refusal(reason)
    const wait = retries[Math.min(this.tries++, retries.length - 1)]!
    setTimeout(() => this.post({ do: 'open', url: this.url }), wait)
  }

  /** refusal finds out why no connection is made: a browser doesn't tell a WebSocket's page the status. */
  private async refusal(reason: string): Promise<void> {
    try {
      const { status, statusText } = await fetch('.', { cache: 'no-store' })
      store.loggedOut.value = status === 401
      store.refused.value = reason || (status === 200 ? '' : `${status} ${statusText}`)
    } catch {
      store.refused.value = text.noAnswer
    }
  }

  private frame(frame: Frame): void {
    const view = store.views.peek().get(frame.head.stream)
    if (!view || frame.epoch !== view.epoch) {
      this.recycle(frame)
      return
    }
    const c = view.counters
    c.received += 1 + frame.skippedWorker
    c.skippedWorker += frame.skippedWorker
    c.skippedServer += frame.head.skipped
    view.lastAt = performance.now()
    if (view.error.peek()) view.error.value = ''
    if (!frame.picture) {
      // It doesn't need the GPU, so it is shown at once.
      c.drawn++
      view.frame = frame
      if (!frame.samples) view.rate.add(frame.head.time, frame.head.number)
      view.shown(frame)
      this.credit(view, frame.head.seq)
      return
    }
    view.rate.add(frame.head.time, frame.head.number)
    if (view.next) {
      c.skippedRender++
      this.recycle(view.next)
    }
    view.next = frame
    this.onFrames()
  }

  /** subscribe updates the node's subscription to what the tiles want of a stream. */
  private subscribe(view: StreamView): void {
    const { id, kind } = view.info
    // A tile of the old source may unmount after one of the new source has mounted.
    if (store.views.peek().get(id) !== view) return
    const quiet = document.hidden && kind !== 'motion'
    const form = view.wanted && !quiet ? `${packed() ? 'packed' : 'raw'} ${packed() ? view.divisor : 1}` : ''
    const had = this.subscribed.get(id) ?? ''
    if (form === had || !store.connected.peek()) return
    if (form === '') {
      this.subscribed.delete(id)
      this.send({ op: 'unsubscribe', stream: id })
      return
    }
    if (had === '') {
      this.recycle(view.next)
      view.restart()
      this.post({ do: 'forget', stream: id, epoch: view.epoch })
    }
    this.subscribed.set(id, form)
    const [codec, divisor] = form.split(' ')
    this.send({ op: 'subscribe', stream: id, codec, divisor: Number(divisor) })
  }

  private text(m: FromProgram, at: number): void {
    switch (m.op) {
      case 'hello':
        store.connected.value = true
        store.refused.value = ''
        // What the address names counts when the page is opened; afterwards others may have chosen.
        if (++store.connections.value > 1 && m.source?.device !== device.peek()) device.value = ''
        store.viewer.value = m.viewer
        store.viewOnly.value = m.viewOnly
        store.candidates.value = m.candidates ?? []
        store.hasFiles.value = m.files
        store.record.value = m.record
        void this.listFiles()
        this.source(m.source, m.state)
        return this.openWanted()
      case 'candidates':
        store.candidates.value = m.candidates ?? []
        return this.openWanted()
      case 'source':
        if (m.record !== undefined) store.record.value = m.record
        if (m.source?.device !== device.peek() && this.offered(device.peek())) device.value = '' // another viewer chose
        return this.source(m.source, m.state)
      case 'streams': return this.streams(m.streams ?? [])
      case 'state': {
        const { op: _, ...state } = m
        store.state.value = state
        return
      }
      case 'options':
        store.options.value = new Map(store.options.peek()).set(m.sensor, m.options ?? [])
        return
      case 'marks':
        store.marks.value = m.marks ?? []
        return
      case 'option': return this.option(m.sensor, m.id, m.value)
      case 'record': return this.record(m)
      case 'notification': return store.notified(m)
      case 'log':
        if (BigInt(m.time) <= this.logged) return // told again after the connection was lost
        this.logged = BigInt(m.time)
        store.logged(m)
        return
      case 'counts': {
        this.drops(m.streams ?? [])
        store.counts.value = new Map((m.streams ?? []).map((s) => [s.id, s]))
        store.viewers.value = m.viewers ?? []
        return
      }
      case 'pong': return this.clock(m.t, Number(BigInt(m.now) / 1000n) / 1000, at)
      case 'answer': {
        const open = this.open.get(m.id)
        this.open.delete(m.id)
        if (m.ok) open?.resolve(m)
        else open?.reject(new Error(m.error ?? text.refused))
      }
    }
  }

  private offered(id: string): boolean { return store.candidates.peek().some((c) => c.id === id) }

  /** openWanted opens the device named by the URL once it is available. */
  openWanted(): void {
    const id = device.peek()
    if (store.connected.peek() && !store.viewOnly.peek() && this.offered(id) && store.source.peek()?.device !== id) void this.tell('open', { device: id })
  }

  private source(source: Source | null, state: State | null): void {
    for (const view of store.views.peek().values()) {
      this.recycle(view.next)
      this.recycle(view.frame)
    }
    this.subscribed.clear()
    const views = (source?.streams ?? []).map((info) => [info.id, this.view(info)] as const)
    store.source.value = source
    store.state.value = state
    store.options.value = new Map((source?.sensors ?? []).map((s) => [s.id, s.options ?? []]))
    this.crowd = store.hidden.value = crowded(views.map(([, view]) => view)) ?? store.hidden.peek()
    store.views.value = new Map(views)
    store.counts.value = new Map()
    store.drops.value = new Map()
    store.marks.value = source?.marks ?? []
    store.markAt.value = null
    store.inspected.value = null
    store.maximised.value = null
  }

  /** streams replaces the source's streams. Those that stay go on as they are, with their tiles. */
  private streams(list: Stream[]): void {
    const source = store.source.peek(), before = store.views.peek()
    if (!source) return
    const views = new Map(list.map((info) => [info.id, before.get(info.id) ?? this.view(info)] as const))
    for (const [id, view] of before) {
      if (views.has(id)) continue
      this.recycle(view.next)
      this.recycle(view.frame)
      this.subscribed.delete(id)
    }
    store.source.value = { ...source, streams: list }
    const crowd = crowded([...views.values()]), hidden = store.hidden.peek()
    // Those that the user has chosen stay; if others come, there is no room for them.
    if (crowd && hidden === this.crowd) this.crowd = store.hidden.value = crowd
    else if (crowd) store.hidden.value = new Set([...hidden, ...[...views.values()].filter((v) => !before.has(v.info.id)).map((v) => v.key)])
    store.views.value = views
    for (const chosen of [store.inspected, store.maximised]) if (!views.has(chosen.peek() ?? -1)) chosen.value = null
  }

  private view(info: Stream): StreamView { return new StreamView(info, (v) => this.subscribe(v)) }

  private option(sensor: number, id: string | number, value: number): void {
    const list = store.options.peek().get(sensor)
    if (!list) return
    store.options.value = new Map(store.options.peek()).set(sensor, list.map((o) => o.id === id ? { ...o, value } : o))
  }

  private record(m: Extract<FromProgram, { op: 'record' }>): void {
    const { op: _, ...record } = m, before = store.record.peek()
    store.record.value = record
    store.recordings(record).forEach((now, i) => {
      const was = store.recordings(before)[i]
      if (now.error && now.error !== was?.error) store.toast('error', now.error)
      else if (was?.on && !now.on) {
        const file = was.file || now.file
        if (now.empty) store.toast('warn', text.emptyRecording(file))
        else store.toast('info', text.savedRecording(file))
        void this.listFiles()
      }
    })
  }

  private drops(list: { id: number; lost: number }[]): void {
    const before = store.counts.peek(), next = new Map(store.drops.peek())
    for (const { id, lost } of list) {
      const history = [...next.get(id) ?? [], Math.max(0, lost - (before.get(id)?.lost ?? lost))]
      next.set(id, history.slice(-store.dropsKept))
    }
    store.drops.value = next
  }

  /** clock keeps the offset measured with the shortest round trip; the bound grows slowly, because clocks drift. */
  private clock(sent: number, program: number, at: number): void {
    const trip = at - sent
    store.roundTrip.value = trip
    this.best *= 1.05
    if (trip > this.best) return
    this.best = trip
    store.clockOffset.value = program + trip / 2 - at
  }

  /** listFiles requests the library's recordings that match the query; more appends to the list. */
  async listFiles(more = false): Promise<void> {
    if (!store.hasFiles.peek()) return
    const query = store.filesQuery.peek(), before = more ? store.files.peek() ?? [] : []
    clearTimeout(this.listAgain)
    try {
      const answer = await fetch(`api/files?skip=${before.length}&q=${encodeURIComponent(query)}`)
      if (!answer.ok) throw new Error(answer.status === 400 ? await answer.text() : `${answer.status} ${answer.statusText}`)
      const list: FileEntry[] = await answer.json() ?? []
      if (query !== store.filesQuery.peek()) return
      store.files.value = [...before, ...list]
      store.filesTotal.value = Number(answer.headers.get('X-Total') ?? list.length)
      store.filesError.value = ''
      if (!more && list.some((f) => f.pending)) this.listAgain = window.setTimeout(() => void this.listFiles(), 500)
    } catch (e) {
      store.filesError.value = e instanceof Error ? e.message : String(e)
    }
  }
}
