export interface Rect { x: number; y: number; width: number; height: number }

/**
 * best lays out tiles of the given aspect ratios (width / height of the picture) in
 * rows of equal tiles: it tries every number of columns and keeps the one that
 * shows the largest area of pictures. Each tile loses header px at its top.
 */
export function best(aspects: number[], width: number, height: number, header: number, gap: number): Rect[] {
  const n = aspects.length
  let list: Rect[] = [], most = -1
  for (let columns = 1; columns <= n; columns++) {
    const rows = Math.ceil(n / columns)
    const w = (width - gap * (columns - 1)) / columns, h = (height - gap * (rows - 1)) / rows
    let area = 0
    for (const aspect of aspects) {
      const room = Math.max(0, h - header), pw = Math.min(w, room * aspect)
      area += Math.max(0, pw) * Math.max(0, pw / aspect)
    }
    if (area <= most) continue
    most = area
    list = aspects.map((_, i) => {
      const row = Math.floor(i / columns), inRow = row === rows - 1 ? n - row * columns : columns
      // The last row's tiles share its whole width.
      const tw = (width - gap * (inRow - 1)) / inRow
      return { x: (i - row * columns) * (tw + gap), y: row * (h + gap), width: tw, height: h }
    })
  }
  return list
}

/** fit is the largest rectangle of an aspect ratio in a room, in its middle. */
export function fit(aspect: number, room: Rect): Rect {
  const width = Math.min(room.width, room.height * aspect), height = width / aspect
  return { x: room.x + (room.width - width) / 2, y: room.y + (room.height - height) / 2, width, height }
}
