/** Samples keeps the motion samples of the last seconds, and their norm. */
export class Samples {
  private times: number[] = []
  private readonly axes: number[][] = [[], [], [], []]

  constructor(private readonly seconds: number) {}

  /** add takes packed samples: seconds after base, x, y, z. A time that goes back begins anew. */
  add(base: number, packed: Float64Array): void {
    for (let i = 0; i + 3 < packed.length; i += 4) {
      const t = base + packed[i]!
      if (t < (this.times.at(-1) ?? -Infinity)) this.clear()
      this.times.push(t)
      const [x, y, z] = [packed[i + 1]!, packed[i + 2]!, packed[i + 3]!]
      this.axes[0]!.push(x)
      this.axes[1]!.push(y)
      this.axes[2]!.push(z)
      this.axes[3]!.push(Math.hypot(x, y, z))
    }
    this.trim()
  }

  get length(): number { return this.times.length }

  /** last is the newest sample: x, y, z, norm. */
  get last(): number[] | null {
    return this.times.length === 0 ? null : this.axes.map((a) => a.at(-1)!)
  }

  /** csv is all that is kept, one sample a line. */
  csv(): string {
    const lines = ['time,x,y,z']
    for (let i = 0; i < this.times.length; i++) lines.push([this.times[i], this.axes[0]![i], this.axes[1]![i], this.axes[2]![i]].join(','))
    return lines.join('\n') + '\n'
  }

  /**
   * columns has the least and the greatest value of each axis in each of width
   * columns, newest at the right, as least, greatest in turn; least > greatest where
   * there is no sample. low and high are the bounds of all.
   */
  columns(width: number, seconds: number): { columns: Float32Array[]; low: number; high: number } {
    const end = this.times.at(-1) ?? 0, columns = this.axes.map(() => new Float32Array(2 * width))
    let low = Infinity, high = -Infinity
    this.axes.forEach((values, axis) => {
      const c = columns[axis]!
      for (let x = 0; x < width; x++) {
        c[2 * x] = Infinity
        c[2 * x + 1] = -Infinity
      }
      for (let i = 0; i < values.length; i++) {
        const x = Math.floor((this.times[i]! - end + seconds) / seconds * (width - 1)), v = values[i]!
        if (x < 0) continue
        if (v < c[2 * x]!) c[2 * x] = v
        if (v > c[2 * x + 1]!) c[2 * x + 1] = v
        if (v < low) low = v
        if (v > high) high = v
      }
    })
    return low > high ? { columns, low: 0, high: 1 } : { columns, low, high }
  }

  private clear(): void {
    this.times.length = 0
    for (const a of this.axes) a.length = 0
  }

  /** trim drops what is too old, in large steps. */
  private trim(): void {
    const from = this.times.at(-1)! - this.seconds
    if (!(this.times[0]! < from - this.seconds / 2)) return
    const keep = this.times.findIndex((t) => t >= from)
    this.times.splice(0, keep)
    for (const a of this.axes) a.splice(0, keep)
  }
}

/** samples are those of each stream with a tile; snapshots read them. */
export const samples = new WeakMap<object, Samples>()
