import type { ComponentType } from 'preact'
import type { StreamView } from '../streams'

/** TileProps is what a tile's body gets. It fills the tile below its header. */
export interface TileProps { view: StreamView }

export interface TileKind {
  matches(view: StreamView): boolean
  body: ComponentType<TileProps>
  /** Width / height that suits it; a picture's own by default. */
  aspect?(view: StreamView): number
  /** Order among the tiles: depth 0, colour 1, infrared 2, motion 3, pose 4, topics 5. */
  order?(view: StreamView): number
}

const kinds: TileKind[] = []

/** registerTile adds a kind of tile; those that were added later are asked first. */
export function registerTile(kind: TileKind): void { kinds.unshift(kind) }

export function tileOf(view: StreamView): TileKind | undefined { return kinds.find((k) => k.matches(view)) }
