package process

// colour is red, green, blue.
type colour [3]float32

// keysOf is the SDK's colour maps, by the value of Color Scheme: equidistant keys from near to far.
var keysOf = [10][]colour{
	{{0, 0, 255}, {0, 255, 255}, {255, 255, 0}, {255, 0, 0}, {50, 0, 0}},                           // Jet
	{{30, 77, 203}, {25, 60, 192}, {45, 117, 220}, {204, 108, 191}, {196, 57, 178}, {198, 33, 24}}, // Classic
	{{255, 255, 255}, {0, 0, 0}}, // White to Black
	{{0, 0, 0}, {255, 255, 255}}, // Black to White
	{{0, 0, 204}, {204, 230, 255}, {255, 255, 153}, {170, 255, 128}, {0, 153, 0}, {230, 242, 255}}, // Bio
	{{230, 247, 255}, {0, 92, 230}, {0, 179, 179}, {0, 51, 153}, {0, 5, 15}},                       // Cold
	{{255, 255, 230}, {255, 204, 0}, {255, 136, 77}, {255, 51, 0}, {128, 0, 0}, {10, 0, 0}},        // Warm
	{{255, 255, 255}, {0, 0, 0}}, // Quantized
	stripes(50),                  // Pattern
	{{255, 0, 0}, {255, 255, 0}, {0, 255, 0}, {0, 255, 255}, {0, 0, 255}, {255, 0, 255}, {255, 0, 0}}, // Hue
}

// stripes returns n alternating white and black keys.
func stripes(n int) []colour {
	out := make([]colour, n)
	for i := range out {
		if i%2 == 0 {
			out[i] = colour{255, 255, 255}
		}
	}
	return out
}

// colorSchemes is the number of maps.
const colorSchemes = len(keysOf)

// quantized is the index of the map with few colours.
const quantized = 7

// colorTable returns the colours of a map as red | green<<8 | blue<<16.
func colorTable(scheme int) []uint32 {
	keys, n := keysOf[scheme], 4001
	if scheme == quantized {
		n = 7
	}
	at := make([]float32, len(keys)) // positions of the keys, 0 … 1
	for k := range at {
		at[k] = float32(k) / float32(len(keys)-1)
	}
	out := make([]uint32, n)
	k := 0
	for i := range out {
		x := float32(i) / float32(n-1)
		for k+1 < len(at)-1 && x >= at[k+1] {
			k++
		}
		f := (x - at[k]) / (at[k+1] - at[k])
		for c := 2; c >= 0; c-- {
			a, b := keys[k][c], keys[k+1][c]
			v := float32(b*f) + float32(a*(1-f))
			switch x {
			case at[k]:
				v = a
			case at[k+1]:
				v = b
			}
			out[i] = out[i]<<8 | uint32(uint8(int32(v)))
		}
	}
	return out
}
