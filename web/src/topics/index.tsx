import { registerTile } from '../tiles/registry'

/** registerTopics adds the tiles for topics that aren't a camera's streams. */
export function registerTopics(): void {
  void registerTile
}
