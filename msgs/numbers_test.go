package msgs

import "testing"

func TestNumbers(t *testing.T) {
	const skipped = 1 << 40
	for name, c := range map[string]struct {
		numbers []uint64
		want    uint64
		counts  bool
	}{
		"all there":             {[]uint64{7, 8, 9, 10}, 0, true},
		"two gaps":              {[]uint64{1, 2, 5, 6, 7, 9}, 3, true},
		"mostly gaps":           {[]uint64{10, 20, 30, 31}, 18, true},
		"every tenth":           {[]uint64{10, 20, 30, 40}, 0, false},
		"one message":           {[]uint64{5}, 0, true},
		"past the largest":      {[]uint64{1<<32 - 2, 1<<32 - 1, 1, 2}, 1, true},
		"starts again":          {[]uint64{6, 7, 9, 10, 0, 1, 2, 4}, 2, true},
		"doesn't count":         {[]uint64{0, 0, 0, 0}, 0, false},
		"two series":            {[]uint64{5, 100, 6, 101, 7, 102}, 0, false},
		"another place":         {[]uint64{1, 2, 3, 1 << 30, 1<<30 + 1}, 0, true},
		"one that is too large": {[]uint64{1, 2, skipped, 4, 6}, 1, true},
	} {
		var a Numbers
		for _, n := range c.numbers {
			if n == skipped {
				a.Skip()
				continue
			}
			a.Next(uint32(n))
		}
		if got := a.Missing(); got != c.want || a.Counts() != c.counts {
			t.Errorf("%s: %d missing, want %d, counts: %v", name, got, c.want, a.Counts())
		}
	}
}
