import type { StreamView } from '../streams'
import { kinds } from './decode'

/** A screen has room for about this many tiles. */
const mostTiles = 12

/** Kinds of topics, the most sought first. */
const order = ['image', 'cloud', 'compressed', 'scan', 'tf', undefined]

/** crowded returns the topics that are hidden at first because there are too many; null if all fit. */
export function crowded(views: readonly StreamView[]): Set<string> | null {
  const topics = views.filter((v) => v.info.kind === 'topic')
  if (topics.length <= mostTiles) return null
  const rank = (v: StreamView) => order.indexOf(kinds[v.info.type ?? v.info.format])
  return new Set(topics.toSorted((a, b) => rank(a) - rank(b)).slice(mostTiles).map((v) => v.key))
}
