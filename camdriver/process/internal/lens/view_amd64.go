package lens

//go:generate go run -C ../../../../asm ./lens

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fast enables the assembly. Tests disable it for comparison.
var fast = cpu.X86.HasAVX2

// parameters returns the parameters in the order of the assembly.
func (v *View) parameters(units float32) (p [17]float32) {
	copy(p[:], v.Turn.R[:])
	copy(p[9:], v.Turn.T[:])
	p[12], p[13], p[14], p[15], p[16] = v.Lens.fx, v.Lens.fy, v.Lens.ppx, v.Lens.ppy, units
	return p
}

// The following functions process the first elements of a row and return their number.

// whole returns the number of elements that the assembly processes of n.
func whole(n int) int {
	if !fast {
		return 0
	}
	return n &^ (lanes - 1)
}

func (v *View) locateFast(us, vs []int32, depth []uint16, x, y []float32, units float32) int {
	n := whole(len(depth))
	if n == 0 {
		return 0
	}
	p := v.parameters(units)
	if locateAVX2(&us[0], &vs[0], &depth[0], &x[0], &y[0], n, &p[0]) != 0 && v.Lens.bend != Straight {
		return 0
	}
	return n
}

func (v *View) projectFast(uv []float32, depth []uint16, x, y []float32, units float32) int {
	n := whole(len(depth))
	if n == 0 {
		return 0
	}
	p := v.parameters(units)
	if projectAVX2(&uv[0], &depth[0], &x[0], &y[0], n, &p[0]) != 0 && v.Lens.bend != Straight {
		return 0
	}
	return n
}

func divideFast(uv []float32, a, b float32) int {
	n := whole(len(uv))
	if n > 0 {
		by := [2]float32{a, b}
		divideAVX2(&uv[0], n, &by[0])
	}
	return n
}

func deprojectFast(xyz []float32, depth []uint16, x, y []float32, units float32) int {
	n := whole(len(depth))
	if n > 0 {
		deprojectAVX2(&xyz[:3*n][0], &depth[0], &x[0], &y[0], 4*lanes, n, &units)
	}
	return n
}

func (r *Rays) deprojectFast(xyz []float32, depth []uint16, v int, units float32) int {
	n := whole(len(depth))
	if n == 0 || uintptr(unsafe.Pointer(&xyz[0]))%32 != 0 {
		return 0
	}
	xyz = xyz[:3*n]
	if r.bent {
		streamAVX2(&xyz[0], &depth[0], &r.x[v*r.Width], &r.y[v*r.Width], 4*lanes, n, &units)
		return n
	}
	var y [lanes]float32
	for i := range y {
		y[i] = r.y[v]
	}
	streamAVX2(&xyz[0], &depth[0], &r.x[0], &y[0], 0, n, &units)
	return n
}

// Fence makes the points of Rays.Deproject visible to other goroutines that this one
// notifies.
func Fence() { fence() }

func metresFast(out []float32, depth []uint16, units float32) int {
	n := whole(len(depth))
	if n > 0 {
		metresAVX2(&out[0], &depth[0], n, &units)
	}
	return n
}

func toDisparityFast(out []float32, in []uint16, factor float32) int {
	n := whole(len(in))
	if n > 0 {
		toDisparityAVX2(&out[0], &in[0], n, &factor)
	}
	return n
}

// toDepthFast stops before a value that is not normal or out of range.
func toDepthFast(out []uint16, in []float32, factor float32) int {
	n := whole(len(in))
	if n > 0 {
		n = toDepthAVX2(&out[0], &in[0], n, &factor)
	}
	return n
}
