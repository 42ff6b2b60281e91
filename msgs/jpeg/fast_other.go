//go:build !amd64

package jpeg

var fast = false

func transformFast(_ *coefficients, _ []byte, _ int, _ *[64]float32) bool { return false }
