package smooth

// Sample is a depth in units or a disparity.
type Sample interface{ uint16 | float32 }

// FillFromLeft fills holes with the value to their left.
func FillFromLeft[T Sample](row []T) {
	before := row[0]
	for x, v := range row {
		if v == 0 {
			v = before // compiled to a conditional move: no branch for each pixel
		}
		row[x], before = v, v
	}
}

// FillLargest fills holes with the largest of the pixels above, to the left and below.
func FillLargest[T Sample](above, row, below []T) {
	above, below = above[:len(row)], below[:len(row)]
	for x := 1 + leadingValid(row[1:]); x < len(row); x += 1 + leadingValid(row[x+1:]) {
		row[x] = larger(larger(larger(larger(above[x], above[x-1]), row[x-1]), below[x-1]), below[x])
	}
}

// FillSmallest fills holes with the smallest of these, unless the pixel above is a hole.
func FillSmallest[T Sample](above, row, below []T) {
	above, below = above[:len(row)], below[:len(row)]
	for x := 1 + leadingValid(row[1:]); x < len(row); x += 1 + leadingValid(row[x+1:]) {
		row[x] = smaller(smaller(smaller(smaller(above[x], above[x-1]), row[x-1]), below[x-1]), below[x])
	}
}

// leadingValid returns how many pixels precede the first hole.
func leadingValid[T Sample](row []T) int {
	n := len(row)
	for len(row) >= 4 && row[0] != 0 && row[1] != 0 && row[2] != 0 && row[3] != 0 {
		row = row[4:]
	}
	for len(row) > 0 && row[0] != 0 {
		row = row[1:]
	}
	return n - len(row)
}

func larger[T Sample](a, b T) T {
	if b > a {
		return b
	}
	return a
}

// smaller returns the smaller of two values, or a if b is a hole.
func smaller[T Sample](a, b T) T {
	if b != 0 && b < a {
		return b
	}
	return a
}
