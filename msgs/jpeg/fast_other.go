//go:build !amd64

package jpeg

var fast = false

func transformFast(_ *coefficients, _ []byte, _ int, _ *[64]float32) (places uint64, ok bool) {
	return 0, false
}
