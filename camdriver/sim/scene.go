package sim

import (
	"math"
	"math/rand/v2"
)

// scene is the room: rectangles and balls. Only balls with a roll move.
type scene struct {
	period  float64 // s; of rolling balls
	quads   []quad  // the first is the floor
	balls   []ball
	shadows []shadow // of fixed solids
	tints   []tint   // referred to by materials
	grain   []uint8  // grainSize² texture that wraps around; 128 is neutral
	dots    []uint8  // dotsWidth·dotsHeight, the projector's pattern
}

// tint is the brightness of a surface, 0 to 1, by channel.
type tint struct{ r, g, b, ir float32 }

// material is a checkerboard of two tints with fields of 2^shift texels. A shift of 31 means stripes.
type material struct {
	tint           uint8 // of even fields; odd fields have the next tint
	shiftS, shiftT uint8
}

// texels is the resolution of all patterns in texels per metre.
const texels = 512

// quad is a rectangle with corners centre ± halfS·s ± halfT·t. It is visible from the side that s×t points to.
type quad struct {
	centre, s, t, normal [3]float64
	halfS, halfT         float64
	material             material
}

// ball is a sphere. If roll isn't zero, it oscillates along it once per period.
type ball struct {
	centre   [3]float64
	radius   float64
	roll     [3]float64
	material material
}

// at returns the ball's centre at time t (s).
func (b ball) at(t, period float64) [3]float64 {
	return add(b.centre, b.roll, math.Sin(2*math.Pi*t/period))
}

// The room's inner walls, in m, in world axes (y points down).
const (
	roomLeft, roomRight   = -2.1, 2.3
	roomTop, roomFloor    = -1.4, 0.8
	roomBack, roomForward = -1.5, 4.3
)

func newScene(period float64, rng *rand.Rand) *scene {
	sc := &scene{period: period, grain: newGrain(rng), dots: newDots(rng)}
	sc.room()
	white, red := tint{0.86, 0.84, 0.80, 0.80}, tint{0.72, 0.13, 0.10, 0.62}
	blue, yellow := tint{0.12, 0.26, 0.66, 0.35}, tint{0.90, 0.72, 0.13, 0.75}
	green, wood := tint{0.16, 0.50, 0.24, 0.55}, tint{0.56, 0.36, 0.20, 0.66}
	sc.box([3]float64{-0.42, 0.58, 2.30}, [3]float64{0.24, 0.22, 0.20}, 0.55,
		sc.material(wood, tint{0.50, 0.31, 0.17, 0.58}, 5, 31))
	sc.box([3]float64{-0.40, 0.25, 2.28}, [3]float64{0.13, 0.11, 0.13}, -0.3, sc.material(green, white, 6, 6))
	sc.box([3]float64{1.25, 0.10, 3.30}, [3]float64{0.22, 0.70, 0.22}, -0.4,
		sc.material(blue, tint{0.16, 0.32, 0.74, 0.45}, 31, 6))
	sc.balls = []ball{
		{centre: [3]float64{0.62, 0.48, 2.05}, radius: 0.32, material: sc.material(red, white, 31, 5)},
		{centre: [3]float64{-0.95, 0.62, 1.75}, radius: 0.18, material: sc.material(yellow, blue, 6, 6)},
		{centre: [3]float64{0.15, 0.68, 1.55}, radius: 0.12, roll: [3]float64{0.25, 0, 0.30},
			material: sc.material(white, green, 5, 31)},
	}
	return sc
}

func (sc *scene) material(a, b tint, shiftS, shiftT uint8) material {
	sc.tints = append(sc.tints, a, b)
	return material{tint: uint8(len(sc.tints) - 2), shiftS: shiftS, shiftT: shiftT}
}

// room adds floor, ceiling, four walls and an image.
func (sc *scene) room() {
	floor := sc.material(tint{0.80, 0.78, 0.72, 0.72}, tint{0.20, 0.22, 0.25, 0.30}, 7, 7)
	wall := sc.material(tint{0.83, 0.78, 0.66, 0.66}, tint{0.80, 0.75, 0.63, 0.63}, 31, 7)
	ceiling := sc.material(tint{0.85, 0.85, 0.83, 0.75}, tint{0.83, 0.83, 0.81, 0.73}, 8, 8)
	picture := sc.material(tint{0.85, 0.55, 0.15, 0.70}, tint{0.10, 0.35, 0.50, 0.30}, 6, 6)
	x, y, z := (roomLeft+roomRight)/2, (roomTop+roomFloor)/2, (roomBack+roomForward)/2
	w, h, d := (roomRight-roomLeft)/2, (roomFloor-roomTop)/2, (roomForward-roomBack)/2
	right, down, ahead := [3]float64{1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1}
	sc.add([3]float64{x, roomFloor, z}, right, ahead, w, d, floor)
	sc.add([3]float64{x, roomTop, z}, ahead, right, d, w, ceiling)
	sc.add([3]float64{roomLeft, y, z}, down, ahead, h, d, wall)
	sc.add([3]float64{roomRight, y, z}, ahead, down, d, h, wall)
	sc.add([3]float64{x, y, roomForward}, down, right, h, w, wall)
	sc.add([3]float64{x, y, roomBack}, right, down, w, h, wall)
	sc.add([3]float64{-0.7, -0.35, roomForward - 0.03}, down, right, 0.3, 0.45, picture)
}

// add adds a quad.
func (sc *scene) add(centre, s, t [3]float64, halfS, halfT float64, m material) {
	sc.quads = append(sc.quads, quad{centre, s, t, cross(s, t), halfS, halfT, m})
}

// box adds the faces of a box that is rotated by yaw about the vertical.
func (sc *scene) box(centre, half [3]float64, yaw float64, m material) {
	r := rotation(0, yaw, 0)
	axes := [3][3]float64{{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}}
	if centre[1]+half[1] > roomFloor-0.01 {
		sc.shadows = append(sc.shadows, boxShadow(centre, half))
	}
	for i := range axes {
		j, k := (i+1)%3, (i+2)%3
		sc.add(add(centre, axes[i], half[i]), axes[j], axes[k], half[j], half[k], m)
		sc.add(add(centre, axes[i], -half[i]), axes[k], axes[j], half[k], half[j], m)
	}
}

// add returns a + f·b.
func add(a, b [3]float64, f float64) [3]float64 {
	return [3]float64{a[0] + f*b[0], a[1] + f*b[1], a[2] + f*b[2]}
}
