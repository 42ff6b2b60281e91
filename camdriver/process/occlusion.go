package process

// hidden is how far apart in m two points on one ray are at least.
const hidden = 0.1

// occludeRow removes the points of a row that the texture's camera can't see, by
// the pixels at which it would see them. From left to right these grow; where one
// falls back, a nearer surface hides the point. So does it where two points fall
// on one pixel. The first point that is seen again is removed, too.
func occludeRow(xyz, uv []float32) {
	most, nearest := float32(-1), float32(0) // pixel and depth of the last point that is seen
	again := false
	for ; len(uv) >= 2 && len(xyz) >= 3; xyz, uv = xyz[3:], uv[2:] {
		p, at := (*[3]float32)(xyz), uv[0]
		if p[2] == 0 {
			continue
		}
		if at > most && !again { // the usual case
			most, nearest = at, p[2]
			continue
		}
		remove := at < most || at == most && p[2]-nearest > hidden
		if remove {
			again = true
		} else {
			most, nearest = at, p[2]
			remove, again = again, false
		}
		if remove {
			*p = [3]float32{}
		}
	}
}
