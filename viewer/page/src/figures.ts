import * as store from './store'

/** followFigures updates the bar's figures 4 times a second: the pictures' largest latency and rate, and frames left out. */
export function followFigures(): void {
  setInterval(() => {
    let latency: number | null = null, fps: number | null = null, skipped = 0
    for (const view of store.views.peek().values()) {
      if (!view.wanted) continue
      if (view.info.kind === 'motion') continue
      const c = view.counters
      skipped += c.skippedServer + c.skippedWorker + c.skippedRender
      if (view.latency !== null) latency = Math.max(latency ?? 0, view.latency)
      const rate = view.rate.fps
      if (rate !== null) fps = Math.max(fps ?? 0, rate)
    }
    const f = store.figures.peek()
    if (f.latency !== latency || f.fps !== fps || f.skipped !== skipped) store.figures.value = { latency, fps, skipped }
  }, 250)
}
