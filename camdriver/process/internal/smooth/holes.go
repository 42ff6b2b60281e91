package smooth

// Sample is a depth in units or a disparity.
type Sample interface{ uint16 | float32 }

// FillFromLeft fills holes with the value to their left.
func FillFromLeft[T Sample](row []T) {
	before := row[0]
	for x, v := range row {
		if v == 0 {
			row[x] = before
			continue
		}
		before = v
	}
}

// FillLargest fills holes with the largest of the pixels above, to the left and below.
func FillLargest[T Sample](above, row, below []T) {
	above, below = above[:len(row)], below[:len(row)]
	for x := 1; x < len(row); x++ {
		if row[x] != 0 {
			continue
		}
		t := above[x]
		for _, q := range [...]T{above[x-1], row[x-1], below[x-1], below[x]} {
			if q > t {
				t = q
			}
		}
		row[x] = t
	}
}

// FillSmallest fills holes with the smallest of these, unless the pixel above is a hole.
func FillSmallest[T Sample](above, row, below []T) {
	above, below = above[:len(row)], below[:len(row)]
	for x := 1; x < len(row); x++ {
		if row[x] != 0 {
			continue
		}
		t := above[x]
		for _, q := range [...]T{above[x-1], row[x-1], below[x-1], below[x]} {
			if q != 0 && q < t {
				t = q
			}
		}
		row[x] = t
	}
}
