/**
 * Rate computes frames per second from the frames' stamps, not from their
 * arrival: over the last 30 frames, and at least 5.
 */
export class Rate {
  private readonly stamps: { time: bigint; number: number }[] = []

  /** add takes a frame's time in ns and its number; a time that runs back starts over. */
  add(time: bigint, number: number): void {
    const last = this.stamps.at(-1)
    if (last && (time <= last.time || number <= last.number)) this.stamps.length = 0
    this.stamps.push({ time, number })
    if (this.stamps.length > 30) this.stamps.shift()
  }

  clear(): void { this.stamps.length = 0 }

  /** fps is the camera's rate, including frames that were left out here; null below 5 frames. */
  get fps(): number | null {
    const a = this.stamps[0], b = this.stamps.at(-1)
    if (!a || !b || this.stamps.length < 5) return null
    return (b.number - a.number) * 1e9 / Number(b.time - a.time)
  }
}
