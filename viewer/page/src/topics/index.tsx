import { registerTile, type TileProps } from '../tiles/registry'
import type { StreamView } from '../streams'
import { VideoBody } from '../tiles/video'
import { lazy } from '../lazy'
import { kinds } from './decode'
import type { ComponentType } from 'preact'

// Tiles that cameras don't need are loaded with the first such topic.
const TreeTile = lazy(async () => (await import('./treetile')).TreeTile)
const bodies: Partial<Record<string, ComponentType<TileProps>>> = {
  image: VideoBody,
  compressed: VideoBody,
  cloud: lazy(async () => (await import('./cloudtile')).CloudTile),
  scan: lazy(async () => (await import('./scantile')).ScanTile),
  tf: lazy(async () => (await import('./tftile')).TransformTile),
}

/** topicKind returns the kind of tile for a topic: tree, if its type has no other. */
function topicKind(view: StreamView): string {
  return kinds[view.info.type ?? view.info.format] ?? 'tree'
}

/** aspectOf returns a picture's aspect ratio, 4:3 for other tiles. */
function aspectOf(view: StreamView): number {
  const p = view.frame?.picture
  return p ? p.width / p.height : 4 / 3
}

/** registerTopics adds the tiles for topics that aren't a camera's streams. */
export function registerTopics(): void {
  const matches = (kind: string) => (view: StreamView) => view.info.kind === 'topic' && topicKind(view) === kind
  registerTile({ matches: matches('tree'), body: TreeTile, aspect: () => 1, order: () => 6 })
  for (const [kind, body] of Object.entries(bodies)) {
    if (body) registerTile({ matches: matches(kind), body, aspect: aspectOf, order: () => 5 })
  }
}
