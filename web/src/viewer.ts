import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { signal, type Signal } from '@preact/signals'
import * as store from './store'
import type { Link } from './link'
import type { Stage } from './gl/stage'

/** Viewer is what components need besides the store. The console has it as window.viewer. */
export interface Viewer {
  link: Link
  stage: Signal<Stage | null>
  store: typeof store
}

export const newViewer = (link: Link): Viewer => ({ link, stage: signal(null), store })

export const ViewerContext = createContext<Viewer | null>(null)

export function useViewer(): Viewer { return useContext(ViewerContext)! }
