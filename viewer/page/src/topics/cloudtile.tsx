import { useState } from 'preact/hooks'
import { count } from '../format'
import { text } from '../strings'
import type { TileProps } from '../tiles/registry'
import { lineNumbers } from '../three/furniture'
import { PointsCanvas, type PointsView } from '../three/pointscanvas'
import type { TopicMessage } from './decode'
import { useStream } from './frame'

/** CloudTile shows the points of a sensor_msgs/PointCloud2. */
export function CloudTile({ view }: TileProps) {
  useStream(view)
  const [readout, setReadout] = useState<string>(text.topic.noPoints)
  const ready = (cloud: PointsView) => {
    let first = true
    const take = () => {
      const m = view.frame?.message as TopicMessage | undefined
      if (m?.is !== 'cloud') return
      const values = m.frame.includes('optical') ? m.points.values : turned(m.points.values)
      cloud.setPoints(values)
      if (first) fit(cloud, values, m.points.count)
      first = false
      setReadout(text.topic.points(count(m.points.count), `${m.width} × ${m.height}`, m.frame, m.fields))
    }
    take()
    return view.onDraw(take)
  }
  return (
    <div class="topic cloud">
      <PointsCanvas label={text.topic.pointsOf(view.info.name)} ready={ready} />
      <output class="space-readout">{readout}</output>
    </div>
  )
}

/** turned converts a body's axes (x ahead, y left, z up) to the camera's (x right, y down, z ahead). */
export function turned(values: Float32Array): Float32Array {
  const out = values.slice()
  for (let i = 0; i < out.length; i += lineNumbers) {
    out[i] = -values[i + 1]!
    out[i + 1] = -values[i + 2]!
    out[i + 2] = values[i]!
  }
  return out
}

/** fit places the eye so that the centre of the points is ahead and most of them are visible. */
function fit({ space }: PointsView, values: Float32Array, n: number): void {
  const sum = [0, 0, 0]
  for (let i = 0; i < values.length; i += lineNumbers) for (let k = 0; k < 3; k++) sum[k]! += values[i + k]! / n
  let spread = 0
  for (let i = 0; i < values.length; i += lineNumbers) {
    spread += Math.hypot(values[i]! - sum[0]!, values[i + 1]! - sum[1]!, values[i + 2]! - sum[2]!) / n
  }
  if (n === 0 || !Number.isFinite(spread)) return
  const target = [sum[0]!, sum[1]!, sum[2]!] as const
  const away = Math.max(0.3, Math.min(40, 3 * spread))
  space.camera.target = target
  space.camera.eye = [target[0], target[1] - 0.4 * away, target[2] - away]
}
