import type { Camera, Place } from './camera'
import { Mat4, middle, Vec3 } from './matrix'
import { area, areaText, centre, Knob, lengthText, Measuring, parts, Ruler, stripes, total, Units } from './measure'

/** Distance up to which a ruler's point can be grabbed, in pixels. */
export const grabRadius = 15

/** Overlay draws rulers and the point under the pointer over the 3D picture. */
export class Overlay {
  constructor(private readonly c: CanvasRenderingContext2D) {}

  /** draw redraws everything. ring is the point under the pointer; next, whether a click continues the last ruler. */
  draw(camera: Camera, m: Measuring, ring: Vec3 | null, next: boolean, units: Units, scale: number): void {
    const c = this.c
    c.setTransform(scale, 0, 0, scale, 0, 0)
    c.clearRect(0, 0, camera.width, camera.height)
    const matrix = camera.matrix()
    for (const r of m.rulers) this.ruler(camera, matrix, r, units)
    if (!ring) return
    const last = m.rulers[m.rulers.length - 1]
    if (next && last && !last.closed) this.dashed(camera, matrix, last.points[last.points.length - 1]!, ring)
    this.ring(camera.place(ring, matrix))
  }

  private ruler(camera: Camera, matrix: Mat4, r: Ruler, units: Units): void {
    if (r.closed) this.fill(r.points.map((p) => camera.place(p, matrix)))
    for (const [a, b] of parts(r)) this.striped(stripes(a, b).map((p) => camera.place(p, matrix)))
    for (const p of r.points) this.knob(camera.place(p, matrix))
    for (const [a, b] of parts(r)) this.label(camera.place(middle(a, b), matrix), lengthText(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), units))
    if (r.closed) {
      this.label(camera.place(centre(r.points), matrix), areaText(area(r.points), units), true)
    } else if (r.points.length > 2) {
      const end = camera.place(r.points[r.points.length - 1]!, matrix)
      this.label(end && { x: end.x, y: end.y - 26 }, `total ${lengthText(total(r), units)}`, true)
    }
  }

  private striped(places: (Place | null)[]): void {
    const c = this.c
    c.lineCap = 'butt'
    for (const [width, tone] of [[6, 'rgba(0,0,0,.55)'], [4, '']] as const) {
      for (let i = 1; i < places.length; i++) {
        const a = places[i - 1], b = places[i]
        if (!a || !b) continue
        c.lineWidth = width
        c.strokeStyle = tone || (i % 2 ? '#ffd60a' : '#1c1c1e')
        line(c, a, b)
      }
    }
  }

  private dashed(camera: Camera, matrix: Mat4, a: Vec3, b: Vec3): void {
    const from = camera.place(a, matrix), to = camera.place(b, matrix)
    if (!from || !to) return
    this.c.lineWidth = 1.5
    this.c.strokeStyle = '#ffd60a'
    this.c.setLineDash([5, 4])
    line(this.c, from, to)
    this.c.setLineDash([])
  }

  private fill(places: (Place | null)[]): void {
    if (places.some((p) => !p)) return
    const c = this.c
    c.beginPath()
    for (const p of places) c.lineTo(p!.x, p!.y)
    c.closePath()
    c.fillStyle = 'rgba(255,214,10,.22)'
    c.fill()
  }

  private knob(p: Place | null): void {
    if (p) this.disc(p, 5, '#ffd60a', 'rgba(0,0,0,.7)', 1.5)
  }

  private ring(p: Place | null): void {
    if (!p) return
    this.disc(p, 8, 'transparent', 'rgba(0,0,0,.6)', 4)
    this.disc(p, 8, 'transparent', '#ffffff', 2)
    this.disc(p, 1.5, '#ffffff', 'rgba(0,0,0,.6)', 1)
  }

  private disc(p: Place, radius: number, inside: string, edge: string, width: number): void {
    const c = this.c
    c.beginPath()
    c.arc(p.x, p.y, radius, 0, 2 * Math.PI)
    c.fillStyle = inside
    c.fill()
    c.lineWidth = width
    c.strokeStyle = edge
    c.stroke()
  }

  private label(p: Place | null, text: string, strong = false): void {
    if (!p) return
    const c = this.c
    c.font = `${strong ? 600 : 500} 12px system-ui, sans-serif`
    c.textAlign = 'center'
    c.textBaseline = 'middle'
    const w = c.measureText(text).width + 14
    c.beginPath()
    c.roundRect(p.x - w / 2, p.y - 10, w, 20, 6)
    c.fillStyle = strong ? '#ffd60a' : 'rgba(22,24,28,.88)'
    c.fill()
    c.fillStyle = strong ? '#1c1c1e' : '#ffffff'
    c.fillText(text, p.x, p.y + 0.5)
  }
}

function line(c: CanvasRenderingContext2D, a: Place, b: Place): void {
  c.beginPath()
  c.moveTo(a.x, a.y)
  c.lineTo(b.x, b.y)
  c.stroke()
}

/** knobAt returns the ruler's point at a position of the view; the newest if there are several. */
export function knobAt(camera: Camera, m: Measuring, at: Place): Knob | null {
  const matrix = camera.matrix()
  let best: Knob | null = null
  let least = grabRadius
  m.rulers.forEach((r, ruler) =>
    r.points.forEach((p, point) => {
      const seen = camera.place(p, matrix)
      const off = seen ? Math.hypot(seen.x - at.x, seen.y - at.y) : Infinity
      if (off <= least) [best, least] = [{ ruler, point }, off]
    }),
  )
  return best
}
