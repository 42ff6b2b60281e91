// Command lens writes the assembly of package lens for x86 processors with AVX2.
//
// Operations have the order of the Go code and aren't fused, so that the results are identical to the last bit.
package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Byte offsets of a view's parameters, as package lens stores them: nine numbers of the rotation, three of the
// translation, two focal lengths, the principal point, the depth unit.
const (
	rotation    = 0
	translation = 9 * 4
	focal       = 12 * 4
	principal   = 14 * 4
	units       = 16 * 4
)

func main() {
	half, limit := ConstData("half", F32(0.5)), ConstData("limit", F32(1<<22))
	locate(half, limit)
	project(limit)
	divide()
	deproject("deprojectAVX2", "implements Deproject for n points, a multiple of 8.", func(x, m Op) { VMOVUPS(x, m) })
	deproject("streamAVX2", "implements Rays.Deproject for n points, a multiple of 8. xyz must be aligned to 32 bytes.",
		VMOVNTPS)
	fence()
	toDisparity()
	toDepth(half)
	gen.Write("camdriver/process/internal/lens", "avx2")
}

// parameter returns a view's parameter.
func parameter(p Register, offset int) VecVirtual { return gen.Broadcast(Mem{Base: p, Disp: offset}) }

// turned computes coordinate row of points x, y, z in another camera's axes: a·x + (b·y + (c·z + t)).
func turned(p Register, row int, x, y, z VecVirtual) VecVirtual {
	sum, product := parameter(p, rotation+4*(6+row)), YMM()
	VMULPS(z, sum, sum)
	VADDPS(parameter(p, translation+4*row), sum, sum)
	VMULPS(y, parameter(p, rotation+4*(3+row)), product)
	VADDPS(sum, product, sum)
	VMULPS(x, parameter(p, rotation+4*row), product)
	VADDPS(sum, product, sum)
	return sum
}

// seen projects points onto an axis of the image.
func seen(p Register, axis int, x, z VecVirtual) VecVirtual {
	VDIVPS(z, x, x)
	VMULPS(parameter(p, focal+4*axis), x, x)
	VADDPS(parameter(p, principal+4*axis), x, x)
	return x
}

// locate computes pixels. Like project, it reports points far outside the image.
func locate(half, limit Mem) {
	gen.Func("locateAVX2", "func(us, vs *int32, depth *uint16, x, y *float32, n int, p *float32) (far int)",
		"locateAVX2 implements View.Locate for n points, a multiple of 8, and a lens without distortion.",
		"far isn't 0 if points are far outside the image.")
	us, vs, depth := gen.Arg("us"), gen.Arg("vs"), gen.Arg("depth")
	xs, ys := gen.Arg("x"), gen.Arg("y")
	n, p := gen.Arg("n"), gen.Arg("p")
	w := newWatch(limit)
	gen.Each("locate", n, func(i Register) {
		x, y, z := points(depth, xs, ys, i, p)
		qz := turned(p, 2, x, y, z)
		valid, h := w.valid(z), gen.Broadcast(half)
		for axis, out := range []Register{us, vs} {
			q := seen(p, axis, turned(p, axis, x, y, z), qz)
			VADDPS(h, q, q)
			w.look(q, valid)
			VCVTPS2DQ(q, q) // nearest even; out of range becomes the smallest integer
			VMOVDQU(q, Mem{Base: out, Index: i, Scale: 4})
		}
	})
	w.end()
}

// watch records whether a valid point is at limit or farther.
type watch struct{ far, limit, sign, zero VecVirtual }

func newWatch(limit Mem) watch {
	w := watch{far: gen.Zeros(), zero: gen.Zeros(), limit: gen.Broadcast(limit), sign: YMM()}
	VPCMPEQD(w.sign, w.sign, w.sign)
	VPSRLD(Imm(1), w.sign, w.sign) // all bits but the sign
	return w
}

// valid returns a mask of points that have depth.
func (w watch) valid(z VecVirtual) VecVirtual {
	v := YMM()
	VCMPPS(Imm(4), w.zero, z, v) // not equal
	return v
}

func (w watch) look(q, valid VecVirtual) {
	away := YMM()
	VANDPS(w.sign, q, away)
	VCMPPS(Imm(5), w.limit, away, away) // not less
	VANDPS(valid, away, away)
	VORPS(away, w.far, w.far)
}

// end returns the result of the watch.
func (w watch) end() {
	mask := GP32()
	VMOVMSKPS(w.far, mask)
	Store(mask.As64(), ReturnIndex(0))
	gen.Done()
}

// points converts depth to eight points.
func points(depth, xs, ys, i, p Register) (x, y, z VecVirtual) {
	z, x, y = YMM(), YMM(), YMM()
	VPMOVZXWD(Mem{Base: depth, Index: i, Scale: 2}, z)
	VCVTDQ2PS(z, z)
	VMULPS(parameter(p, units), z, z)
	VMULPS(Mem{Base: xs, Index: i, Scale: 4}, z, x)
	VMULPS(Mem{Base: ys, Index: i, Scale: 4}, z, y)
	return x, y, z
}

// project computes image coordinates: 0, 0 without depth. It reports points so far outside
// the image that the lens model may not cover them.
func project(limit Mem) {
	gen.Func("projectAVX2", "func(uv *float32, depth *uint16, x, y *float32, n int, p *float32) (far int)",
		"projectAVX2 implements View.Project for n points, a multiple of 8, and a lens without distortion.",
		"far isn't 0 if points are far outside the image.")
	uv, depth := gen.Arg("uv"), gen.Arg("depth")
	xs, ys := gen.Arg("x"), gen.Arg("y")
	n, p := gen.Arg("n"), gen.Arg("p")
	w := newWatch(limit)
	gen.Each("project", n, func(i Register) {
		x, y, z := points(depth, xs, ys, i, p)
		qz := turned(p, 2, x, y, z)
		u := seen(p, 0, turned(p, 0, x, y, z), qz)
		v := seen(p, 1, turned(p, 1, x, y, z), qz)
		valid := w.valid(z)
		for _, q := range []VecVirtual{u, v} {
			w.look(q, valid)
			VANDPS(valid, q, q)
		}
		low, high := YMM(), YMM()
		VUNPCKLPS(v, u, low)
		VUNPCKHPS(v, u, high)
		VPERM2F128(Imm(0x20), high, low, u)
		VPERM2F128(Imm(0x31), high, low, v)
		VMOVUPS(u, Mem{Base: uv})
		VMOVUPS(v, Mem{Base: uv, Disp: 32})
		ADDQ(Imm(64), uv)
	})
	w.end()
}

func divide() {
	gen.Func("divideAVX2", "func(uv *float32, n int, by *float32)",
		"divideAVX2 divides n numbers, a multiple of 8, alternately by the two at by.")
	uv, n, by := gen.Arg("uv"), gen.Arg("n"), gen.Arg("by")
	divisor := YMM()
	VBROADCASTSD(Mem{Base: by}, divisor)
	gen.Each("divide", n, func(i Register) {
		q := YMM()
		VMOVUPS(Mem{Base: uv, Index: i, Scale: 4}, q)
		VDIVPS(divisor, q, q)
		VMOVUPS(q, Mem{Base: uv, Index: i, Scale: 4})
	})
	gen.Done()
}

// deproject combines the shuffled coordinates of four points each to registers, and stores them.
func deproject(name, doc string, store func(x, m Op)) {
	gen.Func(name, "func(xyz *float32, depth *uint16, x, y *float32, step, n int, units *float32)",
		name+" "+doc, "Every eight points, y is step bytes farther.")
	xyz, depth := gen.Arg("xyz"), gen.Arg("depth")
	xs, ys, step := gen.Arg("x"), gen.Arg("y"), gen.Arg("step")
	n, unit := gen.Arg("n"), gen.Broadcast(Mem{Base: gen.Arg("units")})
	gen.Each(name, n, func(i Register) {
		x, y, z := YMM(), YMM(), YMM()
		VPMOVZXWD(Mem{Base: depth, Index: i, Scale: 2}, z)
		VCVTDQ2PS(z, z)
		VMULPS(unit, z, z)
		VMULPS(Mem{Base: xs, Index: i, Scale: 4}, z, x)
		VMULPS(Mem{Base: ys}, z, y)
		xy, yz, zx := YMM(), YMM(), YMM()
		VSHUFPS(Imm(0x88), y, x, xy) // x0 x2 y0 y2
		VSHUFPS(Imm(0xDD), z, y, yz) // y1 y3 z1 z3
		VSHUFPS(Imm(0xD8), x, z, zx) // z0 z2 x1 x3
		var part [3]VecVirtual       // numbers 4k … 4k + 3 of the first four points, and of the last four
		for k, m := range [][3]VecVirtual{{xy, zx}, {yz, xy}, {zx, yz}} {
			part[k] = YMM()
			VSHUFPS(Imm([]uint64{0x88, 0xD8, 0xDD}[k]), m[1], m[0], part[k])
		}
		for k, of := range [][2]int{{0, 1}, {2, 0}, {1, 2}} {
			whole := YMM()
			VPERM2F128(Imm([]uint64{0x20, 0x30, 0x31}[k]), part[of[1]], part[of[0]], whole)
			store(whole, Mem{Base: xyz, Disp: 32 * k})
		}
		ADDQ(Imm(96), xyz)
		ADDQ(step, ys)
	})
	gen.Done()
}

func fence() {
	TEXT("fence", NOSPLIT, "func()")
	Doc("fence implements Fence.")
	SFENCE()
	RET()
}

func toDisparity() {
	gen.Func("toDisparityAVX2", "func(out *float32, depth *uint16, n int, factor *float32)",
		"toDisparityAVX2 implements ToDisparity for n pixels, a multiple of 8.")
	out, depth := gen.Arg("out"), gen.Arg("depth")
	n, factor := gen.Arg("n"), gen.Broadcast(Mem{Base: gen.Arg("factor")})
	none := gen.Zeros()
	gen.Each("toDisparity", n, func(i Register) {
		z, hole := YMM(), YMM()
		VPMOVZXWD(Mem{Base: depth, Index: i, Scale: 2}, z)
		VPCMPEQD(none, z, hole)
		VCVTDQ2PS(z, z)
		VDIVPS(z, factor, z)
		VPANDN(z, hole, z)
		VMOVUPS(z, Mem{Base: out, Index: i, Scale: 4})
	})
	gen.Done()
}

func toDepth(half Mem) {
	least, most := ConstData("least", U32(0x00800000)), ConstData("most", U32(0x47800000)) // 65536
	gen.Func("toDepthAVX2", "func(out *uint16, disparity *float32, n int, factor *float32) (done int)",
		"toDepthAVX2 implements ToDepth for n pixels, a multiple of 8. It stops before the first eight",
		"that hold anything but 0 and normal numbers whose depth fits 16 bits.")
	out, disparity := gen.Arg("out"), gen.Arg("disparity")
	n, factor := gen.Arg("n"), gen.Broadcast(Mem{Base: gen.Arg("factor")})
	i, none, h, low, high := gen.Zero(), gen.Zeros(), gen.Broadcast(half), gen.Broadcast(least), gen.Broadcast(most)
	Label("toDepth")
	p, f, hole, usual, t, bits := YMM(), YMM(), YMM(), YMM(), YMM(), GP32()
	VMOVUPS(Mem{Base: disparity, Index: i, Scale: 4}, p)
	VCMPPS(Imm(0), none, p, hole)  // equal
	VCMPPS(Imm(29), low, p, usual) // not less, and a number
	VDIVPS(p, factor, f)
	VADDPS(h, f, f)
	VCMPPS(Imm(17), high, f, t) // less
	VANDPS(t, usual, usual)
	VCMPPS(Imm(29), none, f, t)
	VANDPS(t, usual, usual)
	VORPS(hole, usual, t)
	VMOVMSKPS(t, bits)
	CMPL(bits, Imm(0xFF))
	JNE(LabelRef("toDepthDone"))
	VCVTTPS2DQ(f, f)
	VPANDN(f, hole, f)
	VMOVDQU(gen.Packed(f), Mem{Base: out, Index: i, Scale: 2})
	gen.Next("toDepth", i, n, 8)
	Label("toDepthDone")
	Store(i, ReturnIndex(0))
	gen.Done()
}
