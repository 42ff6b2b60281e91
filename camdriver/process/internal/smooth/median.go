package smooth

// Median4 writes the lower median of the valid pixels of each 2×2 patch, or 0 if there are none.
func Median4(out, a, b []uint16) {
	a, b = a[:2*len(out)], b[:2*len(out)]
	for i := range out {
		out[i] = median4(a[2*i], a[2*i+1], b[2*i], b[2*i+1])
	}
}

// median4 sorts, so that zeros come first, and selects by the number of zeros.
func median4(p, q, r, s uint16) uint16 {
	low1, high1 := min(p, q), max(p, q)
	low2, high2 := min(r, s), max(r, s)
	least, most := min(low1, low2), max(high1, high2)
	m1, m2 := max(low1, low2), min(high1, high2)
	second, third := min(m1, m2), max(m1, m2)
	switch {
	case least > 0:
		return second
	case third > 0:
		return third
	}
	return most
}

// Median9 is Median4 for patches of 3×3.
func Median9(out, a, b, c []uint16) {
	n := 3 * len(out)
	a, b, c = a[:n], b[:n], c[:n]
	for i := range out {
		p, q, r := a[3*i:][:3], b[3*i:][:3], c[3*i:][:3]
		out[i] = median9(p[0], p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2])
	}
}

// median9 returns the lower median of the values other than 0.
func median9(a, b, c, d, e, f, g, h, i uint16) uint16 {
	// Sort the rows. Then the median is the median of the largest minimum, the median
	// of the middle values and the smallest maximum.
	a, b, c = sort3(a, b, c)
	d, e, f = sort3(d, e, f)
	g, h, i = sort3(g, h, i)
	if min(a, d, g) > 0 {
		_, m, _ := sort3(b, e, h)
		_, m, _ = sort3(max(a, d, g), m, min(c, f, i))
		return m
	}
	v := [9]uint16{a, b, c, d, e, f, g, h, i}
	zeros := 0
	for k := range v {
		if v[k] == 0 {
			zeros++
		}
		for j := k; j > 0 && v[j] < v[j-1]; j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
	return v[4+zeros/2]
}

func sort3(a, b, c uint16) (uint16, uint16, uint16) {
	a, b = min(a, b), max(a, b)
	b, c = min(b, c), max(b, c)
	a, b = min(a, b), max(a, b)
	return a, b, c
}
