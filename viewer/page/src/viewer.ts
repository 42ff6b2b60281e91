import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { signal, type Signal } from '@preact/signals'
import * as store from './store'
import type { Link } from './link'
import { capture } from './gl/capture'
import type { Stage } from './gl/stage'
import type { StreamView } from './streams'

/** Viewer is what components need besides the store. The console has it as window.viewer. */
export interface Viewer {
  link: Link
  stage: Signal<Stage | null>
  store: typeof store
  /** A stream's picture as the GPU draws it, in its own size. */
  capture(view: StreamView): ImageData | null
}

export function newViewer(link: Link): Viewer {
  const stage = signal<Stage | null>(null)
  return { link, stage, store, capture: (view) => stage.peek() && capture(stage.peek()!, view) }
}

export const ViewerContext = createContext<Viewer | null>(null)

export function useViewer(): Viewer { return useContext(ViewerContext)! }
