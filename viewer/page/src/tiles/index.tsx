import { registerTile } from './registry'
import { VideoBody } from './video'
import { MotionBody } from './motion'
import { PoseBody } from './pose'

/** registerTiles adds the tiles of a camera's streams. */
export function registerTiles(): void {
  registerTile({ matches: (v) => v.info.kind === 'pose', body: PoseBody, aspect: () => 2, order: () => 4 })
  registerTile({ matches: (v) => v.info.kind === 'motion', body: MotionBody, aspect: () => 2, order: () => 3 })
  registerTile({
    matches: (v) => v.info.kind === 'video',
    body: VideoBody,
    order: (v) => v.isDepth ? 0 : /infra|fisheye/i.test(v.info.name) ? 2 : 1,
  })
}
