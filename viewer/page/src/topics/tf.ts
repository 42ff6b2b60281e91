import { Reader } from './reader'

/** Transform is geometry_msgs/TransformStamped: the pose of a frame in its parent. */
export interface Transform {
  parent: string
  frame: string
  /** Nanoseconds since 1970. */
  stamp: bigint
  translation: readonly [number, number, number]
  /** x, y, z, w. */
  rotation: readonly [number, number, number, number]
}

/** readTransforms reads tf2_msgs/TFMessage and tf/tfMessage. */
export function readTransforms(bytes: Uint8Array): Transform[] {
  const r = new Reader(bytes)
  const out: Transform[] = []
  const least = 16 + 4 + 7 * 8; // bytes, without names
  for (let n = r.count(least); n > 0; n--) {
    const h = r.header()
    const frame = r.text()
    const [x, y, z, qx, qy, qz, qw] = Array.from({ length: 7 }, r.f64) as [number, number, number, number, number, number, number]
    out.push({ parent: plain(h.frame), frame: plain(frame), stamp: h.stamp, translation: [x, y, z], rotation: [qx, qy, qz, qw] })
  }
  return out
}

/** plain strips the leading slash of tf before tf2. */
const plain = (name: string): string => name.replace(/^\//, '')

/** The most frames of a tree. */
const mostFrames = 4096

/** FrameTree holds the newest transform of each frame. */
export class FrameTree {
  private readonly byFrame = new Map<string, Transform>()

  take(all: readonly Transform[]): void {
    for (const t of all) {
      if (this.byFrame.size < mostFrames || this.byFrame.has(t.frame)) this.byFrame.set(t.frame, t)
    }
  }

  /** rows returns the frames in tree order, each after its parent, with its level. */
  rows(): { frame: string; depth: number; transform: Transform | null }[] {
    const children = new Map<string, string[]>()
    for (const t of this.byFrame.values()) children.set(t.parent, [...(children.get(t.parent) ?? []), t.frame])
    const out: { frame: string; depth: number; transform: Transform | null }[] = []
    const seen = new Set<string>()
    const walk = (start: string) => {
      const open = [{ frame: start, depth: 0 }]
      for (let next = open.pop(); next; next = open.pop()) {
        if (seen.has(next.frame)) continue
        seen.add(next.frame)
        out.push({ ...next, transform: this.byFrame.get(next.frame) ?? null })
        const below = (children.get(next.frame) ?? []).toSorted().reverse()
        for (const frame of below) open.push({ frame, depth: next.depth + 1 })
      }
    }
    const roots = [...children.keys()].filter((f) => !this.byFrame.has(f)).toSorted()
    roots.forEach(walk)
    for (const f of [...this.byFrame.keys()].toSorted()) walk(f); // those of a loop
    return out
  }
}

/** eulerText prints roll, pitch and yaw in degrees. */
export function eulerText([x, y, z, w]: readonly [number, number, number, number]): string {
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
  const pitch = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))))
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
  return [roll, pitch, yaw].map((v) => `${((v * 180) / Math.PI).toFixed(1)}°`).join(' ')
}
