package lens

//go:generate go run -C ../../../../asm ./lens

import "golang.org/x/sys/cpu"

// fast enables the assembly. Tests disable it for comparison.
var fast = assembly && cpu.X86.HasAVX2

// lanes is the number of elements that the assembly processes at once.
const lanes = 8

// whole returns how many of the first n elements of a row the assembly processes.
func whole(n int) int {
	if !fast {
		return 0
	}
	return n &^ (lanes - 1)
}

// parameters returns the parameters in the order of the assembly.
func (v *View) parameters(units float32) (p [17]float32) {
	copy(p[:], v.Turn.R[:])
	copy(p[9:], v.Turn.T[:])
	p[12], p[13], p[14], p[15], p[16] = v.Lens.fx, v.Lens.fy, v.Lens.ppx, v.Lens.ppy, units
	return p
}

// Fence makes the points of Rays.Deproject visible to other goroutines that this one
// notifies.
func Fence() {
	if fast {
		fence()
	}
}
