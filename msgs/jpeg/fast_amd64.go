package jpeg

//go:generate go run -C ../../asm ./jpeg

import "golang.org/x/sys/cpu"

// fast enables the assembly. Tests disable it for comparison.
var fast = cpu.X86.HasAVX2

// transformFast is transform. It returns false if there is no assembly.
func transformFast(c *coefficients, samples []byte, stride int, scale *[64]float32) (places uint64, ok bool) {
	if fast {
		_ = samples[7*stride+7]
		places = transformAVX2(&c[0], &samples[0], stride, &scale[0])
	}
	return places, fast
}
