package sim

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"rsros/camdriver"
)

// Standard deviations of sensor noise, unless Options.Noiseless.
const (
	disparityNoise = 0.06  // pixels
	greyNoise      = 1.8   // levels
	colorNoise     = 1.5   // levels
	gyroNoise      = 0.002 // rad/s
	accelNoise     = 0.02  // m/s²
)

// world is the scene that all streams of a device show. It is immutable and safe for concurrent use.
type world struct {
	path  path
	scene *scene
	noise []float32
	seed  uint64
	quiet bool // no noise
}

func newWorld(o Options) *world {
	period := o.Loop.Seconds()
	rng := rand.New(rand.NewPCG(uint64(o.Seed), 0x5eed))
	return &world{
		path: newPath(period, rng), scene: newScene(period, rng), noise: newNoise(rng),
		seed: uint64(o.Seed), quiet: o.Noiseless,
	}
}

// level returns the noise deviation to use.
func (w *world) level(deviation float64) float32 {
	if w.quiet {
		return 0
	}
	return float32(deviation)
}

// render draws the image of a stream at time t (s) into pix, in parallel on all processors. It is deterministic.
func (w *world) render(p camdriver.Profile, t float64, k look, pix []byte) {
	place, _ := fromDepth(p.Stream)
	in := intrinsics(p)
	r := newRaster(w.scene, place.Inverse().Then(w.path.at(t).pose), in, t, k)
	salt := rand.NewPCG(w.seed^math.Float64bits(t), uint64(p.Stream.Kind)<<8|uint64(p.Stream.Index)).Uint64()
	bands := min(runtime.GOMAXPROCS(0), max(1, p.Height/32))
	var wg sync.WaitGroup
	for i := range bands {
		wg.Go(func() {
			w.rows(r, p, k, salt, pix, p.Height*i/bands, p.Height*(i+1)/bands)
		})
	}
	wg.Wait()
}

// rows draws the rows [from, to).
func (w *world) rows(r *raster, p camdriver.Profile, k look, salt uint64, pix []byte, from, to int) {
	line, stride := newRow(p.Width), p.FrameSize()/p.Height
	for y := from; y < to; y++ {
		out := pix[y*stride : (y+1)*stride]
		noise := w.noise[(salt+uint64(y)*0x9e3779b97f4a7c15)>>32%noiseSize:]
		r.cast(y, line)
		switch p.Stream.Kind {
		case camdriver.Depth:
			r.depthRow(line, out, noise, w.level(disparityNoise))
		case camdriver.Infrared:
			r.shade(y, line)
			r.greyRow(y, line, out, noise, w.level(greyNoise), float64(p.Stream.Index-1)*baseline, k)
		default:
			r.shade(y, line)
			r.colorRow(line, out, noise, w.level(colorNoise), k)
		}
	}
}

// motion returns the sample of an inertial stream at time t. Each sample seeds its own noise generator.
func (w *world) motion(kind camdriver.StreamKind, t float64, number uint64) camdriver.MotionSample {
	gyro, accel := w.path.at(t).imu(imuPlace)
	rng := rand.New(rand.NewPCG(w.seed, number<<8|uint64(kind)))
	var s camdriver.MotionSample
	for i := range 3 {
		// The camera measures in single precision.
		if kind == camdriver.Gyro {
			s.Gyro[i] = float64(float32(gyro[i]) + w.level(gyroNoise)*float32(rng.NormFloat64()))
		} else {
			s.Accel[i] = float64(float32(accel[i]) + w.level(accelNoise)*float32(rng.NormFloat64()))
		}
	}
	return s
}

// pose returns the pose of the depth camera in the world at time t. Both have the axes
// of tracking cameras: x right, y up, z back. All vectors are in the world's axes.
func (w *world) pose(t float64) camdriver.PoseSample {
	k := w.path.at(t)
	turned := camdriver.Extrinsics{Rotation: tracking}.Then(camdriver.Extrinsics{Rotation: k.pose.Rotation}).
		Then(camdriver.Extrinsics{Rotation: tracking})
	vector := func(v [3]float64) camdriver.Vec3 {
		v = camdriver.Extrinsics{Rotation: tracking}.Apply(v)
		return camdriver.Vec3{float32(v[0]), float32(v[1]), float32(v[2])}
	}
	q := turned.Quaternion()
	inWorld := func(v [3]float64) [3]float64 { return camdriver.Extrinsics{Rotation: k.pose.Rotation}.Apply(v) }
	return camdriver.PoseSample{
		Translation: vector(k.pose.Translation), Velocity: vector(k.velocity), Acceleration: vector(k.accel),
		Rotation:        [4]float32{float32(q[0]), float32(q[1]), float32(q[2]), float32(q[3])},
		AngularVelocity: vector(inWorld(k.omega)), AngularAcceleration: vector(inWorld(k.alpha)),
		TrackerConfidence: 3, MapperConfidence: 3,
	}
}
