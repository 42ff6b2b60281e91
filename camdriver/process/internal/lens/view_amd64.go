package lens

//go:generate go run -C ../../../../asm ./lens

import "golang.org/x/sys/cpu"

// fast says whether the assembly is used. Tests turn it off to compare.
var fast = cpu.X86.HasAVX2

// parameters are what the assembly reads, in the order that its program has, too.
func (v *View) parameters(units float32) (p [17]float32) {
	copy(p[:], v.Turn.R[:])
	copy(p[9:], v.Turn.T[:])
	p[12], p[13], p[14], p[15], p[16] = v.Lens.fx, v.Lens.fy, v.Lens.ppx, v.Lens.ppy, units
	return p
}

// locateFast does the first points of Locate, and returns how many.
func (v *View) locateFast(us, vs []int32, depth []uint16, x, y []float32, units float32) int {
	n := len(depth) &^ (lanes - 1)
	if !fast || n == 0 {
		return 0
	}
	p := v.parameters(units)
	if locateAVX2(&us[0], &vs[0], &depth[0], &x[0], &y[0], n, &p[0]) != 0 && v.Lens.bend != Straight {
		return 0
	}
	return n
}

// projectFast does the first points of Project, and returns how many.
func (v *View) projectFast(uv []float32, depth []uint16, x, y []float32, units float32) int {
	n := len(depth) &^ (lanes - 1)
	if !fast || n == 0 {
		return 0
	}
	p := v.parameters(units)
	if projectAVX2(&uv[0], &depth[0], &x[0], &y[0], n, &p[0]) != 0 && v.Lens.bend != Straight {
		return 0
	}
	return n
}

// divideFast divides the first numbers by a and b in turns, and returns how many.
func divideFast(uv []float32, a, b float32) int {
	n := len(uv) &^ (lanes - 1)
	if !fast || n == 0 {
		return 0
	}
	by := [2]float32{a, b}
	divideAVX2(&uv[0], n, &by[0])
	return n
}

// deprojectFast does the first points of Deproject, and returns how many.
func deprojectFast(xyz []float32, depth []uint16, x, y []float32, units float32) int {
	n := len(depth) &^ (lanes - 1)
	if !fast || n == 0 {
		return 0
	}
	deprojectAVX2(&xyz[:3*n][0], &depth[0], &x[0], &y[0], n, &units)
	return n
}

// metresFast does the first pixels of Metres, and returns how many.
func metresFast(out []float32, depth []uint16, units float32) int {
	n := len(depth) &^ (lanes - 1)
	if !fast || n == 0 {
		return 0
	}
	metresAVX2(&out[0], &depth[0], n, &units)
	return n
}

// toDisparityFast does the first pixels of ToDisparity, and returns how many.
func toDisparityFast(out []float32, in []uint16, factor float32) int {
	n := len(in) &^ (lanes - 1)
	if !fast || n == 0 {
		return 0
	}
	toDisparityAVX2(&out[0], &in[0], n, &factor)
	return n
}

// toDepthFast does the first pixels of ToDepth up to what is unusual, and returns how
// many.
func toDepthFast(out []uint16, in []float32, factor float32) int {
	n := len(in) &^ (lanes - 1)
	if !fast || n == 0 {
		return 0
	}
	return toDepthAVX2(&out[0], &in[0], n, &factor)
}
