export interface Rect { x: number; y: number; width: number; height: number }

/** cells are n equal areas in rows; those of the last row share its whole width. */
function cells(n: number, columns: number, width: number, height: number, gap: number): Rect[] {
  const rows = Math.ceil(n / columns), w = (width - gap * (columns - 1)) / columns, h = (height - gap * (rows - 1)) / rows
  return Array.from({ length: n }, (_, i) => {
    const row = Math.floor(i / columns), inRow = row === rows - 1 ? n - row * columns : columns
    const own = inRow === columns ? w : (width - gap * (inRow - 1)) / inRow
    return { x: (i - row * columns) * (own + gap), y: row * (h + gap), width: own, height: h }
  })
}

/** largest is what make returns for the number of columns, up to n, that shows the largest area of pictures. */
function largest<T>(n: number, make: (columns: number) => { layout: T; area: number }): T | undefined {
  let found: { layout: T; area: number } | undefined
  for (let columns = 1; columns <= n; columns++) {
    const next = make(columns)
    if (!found || next.area > found.area) found = next
  }
  return found?.layout
}

/** areaOf is the area of pictures of the given aspect ratios in tiles that are as large as one. */
function areaOf(aspects: number[], tile: Rect, header: number): number {
  const room = Math.max(0, tile.height - header)
  return aspects.reduce((sum, aspect) => {
    const width = Math.max(0, Math.min(tile.width, room * aspect))
    return sum + width * width / aspect
  }, 0)
}

/**
 * best lays out tiles of the given aspect ratios (width / height of the picture) in
 * rows of equal tiles: it tries every number of columns and keeps the one that
 * shows the largest area of pictures. Each tile loses header px at its top.
 */
export function best(aspects: number[], width: number, height: number, header: number, gap: number): Rect[] {
  return largest(aspects.length, (columns) => {
    const layout = cells(aspects.length, columns, width, height, gap)
    return { layout, area: areaOf(aspects, layout[0]!, header) }
  }) ?? []
}

/** grouped lays out groups of tiles in equal areas, in the same way. Each area loses title px at its top. */
export function grouped(groups: number[][], width: number, height: number, title: number, header: number, gap: number): { areas: Rect[]; rects: Rect[] } {
  return largest(groups.length, (columns) => {
    const areas = cells(groups.length, columns, width, height, 2 * gap)
    const parts = groups.map((aspects, i) => best(aspects, areas[i]!.width, Math.max(0, areas[i]!.height - title), header, gap))
    const rects = parts.flatMap((part, i) => part.map((r) => ({ ...r, x: r.x + areas[i]!.x, y: r.y + areas[i]!.y + title })))
    return { layout: { areas, rects }, area: parts.reduce((sum, part, i) => sum + areaOf(groups[i]!, part[0]!, header), 0) }
  }) ?? { areas: [], rects: [] }
}

/** fit is the largest rectangle of an aspect ratio in a room, in its middle. */
export function fit(aspect: number, room: Rect): Rect {
  const width = Math.min(room.width, room.height * aspect), height = width / aspect
  return { x: room.x + (room.width - width) / 2, y: room.y + (room.height - height) / 2, width, height }
}
