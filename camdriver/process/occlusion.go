package process

// hidden is the least distance in m between two points on a ray.
const hidden = 0.1

// occludeRow removes the points of a row that are hidden from the texture's camera. From left to right, the texture's
// pixels increase; if one goes back, a nearer surface hides its point. The farther of two points on the same pixel is
// hidden as well. The first point visible again is also removed.
func occludeRow(xyz, uv []float32) {
	most, nearest := float32(-1), float32(0) // pixel and depth of the last visible point
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
