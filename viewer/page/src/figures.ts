import * as store from './store'
import type { StreamView } from './streams'

/** How often the figures are updated, ms, and over how many updates drawn pictures are counted: 2 s. */
const period = 250, counted = 8

/** followFigures updates the bar's figures: the pictures' largest latency, the rate of the fastest stream and of what is drawn of it, and frames left out. */
export function followFigures(): void {
  const history = new WeakMap<StreamView, number[]>()
  setInterval(() => {
    let latency: number | null = null, fps: number | null = null, drawn = 0, skipped = 0
    for (const view of store.views.peek().values()) {
      if (!view.wanted) continue
      if (view.info.kind === 'motion') continue
      const c = view.counters
      skipped += c.skippedServer + c.skippedWorker + c.skippedRender
      if (view.latency !== null) latency = Math.max(latency ?? 0, view.latency)
      if (!view.frame?.picture) continue
      const draws = [...history.get(view) ?? [], view.version].slice(-counted - 1), rate = view.rate.fps
      history.set(view, draws)
      if (rate === null || rate < (fps ?? 0)) continue
      fps = rate
      drawn = (view.version - draws[0]!) * 1000 / (period * Math.max(1, draws.length - 1))
    }
    const f = store.figures.peek()
    if (f.latency !== latency || f.fps !== fps || f.drawn !== drawn || f.skipped !== skipped) store.figures.value = { latency, fps, drawn, skipped }
  }, period)
}
