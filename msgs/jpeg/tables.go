package jpeg

// zigzag is the order of a block's encoded coefficients, as indexes in row order.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10,
	17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34,
	27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36,
	29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46,
	53, 60, 61, 54, 47, 55, 62, 63,
}

// turns has the places of a row's coefficients in the order of encoding, as bits, by their places in the row.
var turns = zigzagTurns()

func zigzagTurns() (t [8][256]uint64) {
	for at, place := range zigzag {
		row, bit := place/8, 1<<(place%8)
		for set := range 256 {
			if set&bit != 0 {
				t[row][set] |= 1 << at
			}
		}
	}
	return t
}

// zigzagOrder returns places in row order, as bits, in the order of encoding.
func zigzagOrder(places uint64) (p uint64) {
	for row := range turns {
		p |= turns[row][byte(places>>(8*row))]
	}
	return p
}

// The kinds of samples, which have different tables.
const (
	light  = 0
	colour = 1
)

// steps are the quantization steps of quality 50 in row order: tables K.1 and K.2 of the standard.
var steps = [2][64]uint8{
	{
		16, 11, 10, 16, 24, 40, 51, 61,
		12, 12, 14, 19, 26, 58, 60, 55,
		14, 13, 16, 24, 40, 57, 69, 56,
		14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77,
		24, 35, 55, 64, 81, 104, 113, 92,
		49, 64, 78, 87, 103, 121, 120, 101,
		72, 92, 95, 98, 112, 100, 103, 99,
	},
	{
		17, 18, 24, 47, 99, 99, 99, 99,
		18, 21, 26, 66, 99, 99, 99, 99,
		24, 26, 56, 99, 99, 99, 99, 99,
		47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
	},
}

// code is a Huffman code: the number of codes of 1 … 16 bits, and their symbols.
type code struct {
	lengths string
	symbols string
}

// The codes of the standard's tables K.3 to K.6. Symbols of the first coefficient are its
// number of bits; others are the number of zeros before a coefficient and its bits.
var (
	firstCodes = [2]code{
		{"\x00\x01\x05\x01\x01\x01\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00",
			"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"},
		{"\x00\x03\x01\x01\x01\x01\x01\x01\x01\x01\x01\x00\x00\x00\x00\x00",
			"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"},
	}
	otherCodes = [2]code{
		{
			"\x00\x02\x01\x03\x03\x02\x04\x03\x05\x05\x04\x04\x00\x00\x01\x7d",
			"\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71" +
				"\x14\x32\x81\x91\xa1\x08\x23\x42\xb1\xc1\x15\x52\xd1\xf0\x24\x33\x62\x72" +
				"\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26\x27\x28\x29\x2a\x34\x35\x36\x37" +
				"\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58\x59" +
				"\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x83" +
				"\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3" +
				"\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3" +
				"\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xe1\xe2" +
				"\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa",
		},
		{
			"\x00\x02\x01\x02\x04\x04\x03\x04\x07\x05\x04\x04\x00\x01\x02\x77",
			"\x00\x01\x02\x03\x11\x04\x05\x21\x31\x06\x12\x41\x51\x07\x61\x71\x13\x22" +
				"\x32\x81\x08\x14\x42\x91\xa1\xb1\xc1\x09\x23\x33\x52\xf0\x15\x62\x72\xd1" +
				"\x0a\x16\x24\x34\xe1\x25\xf1\x17\x18\x19\x1a\x26\x27\x28\x29\x2a\x35\x36" +
				"\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58" +
				"\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a" +
				"\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a" +
				"\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba" +
				"\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda" +
				"\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa",
		},
	}
)

// first and other are the codes by symbol: bits<<8 | number of bits.
var first, other = [2][256]uint32{firstCodes[0].bySymbol(), firstCodes[1].bySymbol()},
	[2][256]uint32{otherCodes[0].bySymbol(), otherCodes[1].bySymbol()}

func (c code) bySymbol() (out [256]uint32) {
	bits, k := uint32(0), 0
	for i := range len(c.lengths) {
		for range c.lengths[i] {
			out[c.symbols[k]] = bits<<8 | uint32(i+1)
			bits++
			k++
		}
		bits <<= 1
	}
	return out
}
