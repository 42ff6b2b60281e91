package samplebag

import (
	"math"
	"math/rand/v2"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
)

// Noise is that of a sensor at rest, the same on three axes.
type Noise struct {
	Density, Walk float64
	Hz, Seconds   float64
	Jitter        float64 // standard deviation of stamps, in intervals
	Lost          float64 // part of the samples
	Gap           float64 // s without samples in the middle
}

// Samples calls yield with stamps, in nanoseconds, and values.
func (n Noise) Samples(seed uint64, yield func(stamp int64, v [3]float64)) {
	r := rand.New(rand.NewPCG(seed, 24))
	var bias [3]float64
	step := 1 / n.Hz
	total := int(n.Seconds * n.Hz)
	for i := range total {
		var v [3]float64
		for k := range v {
			bias[k] += n.Walk * math.Sqrt(step) * r.NormFloat64()
			v[k] = 0.01*float64(k) + bias[k] + n.Density/math.Sqrt(step)*r.NormFloat64()
		}
		at := step * (float64(i) + n.Jitter*r.NormFloat64())
		if i > total/2 {
			at += n.Gap
		}
		if r.Float64() >= n.Lost {
			yield(1_700_000_000_000_000_000+int64(at*1e9), v)
		}
	}
}

// WriteIMU writes a bag of topics as realsense2_camera has them: of each sensor, or of both.
func WriteIMU(t testing.TB, path string, gyro, accel Noise, united bool) {
	t.Helper()
	w, err := bagstore.Create(path, bagstore.Options{Checkpoint: -1})
	if err != nil {
		t.Fatal(err)
	}
	typ := msgs.MustType("sensor_msgs/Imu")
	add := func(topic string) uint32 {
		id, err := w.AddConnection(bagstore.Connection{Topic: topic, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	var e msgs.Encoder
	write := func(id uint32, at int64, g, a [3]float64) {
		m := msgs.Imu{Header: msgs.Header{Stamp: msgs.Time(at), FrameID: "imu"}, AngularVelocity: msgs.Vector3{X: g[0], Y: g[1], Z: g[2]},
			LinearAcceleration: msgs.Vector3{X: a[0], Y: a[1], Z: a[2]}}
		e.B = e.B[:0]
		e.Message(&m)
		if err := w.Write(id, bagstore.Time(at+1_000_000), e.B); err != nil {
			t.Fatal(err)
		}
	}
	var none [3]float64
	if united {
		var values [][3]float64
		accel.Samples(4, func(_ int64, v [3]float64) { values = append(values, v) })
		id := add("/camera/imu")
		gyro.Samples(3, func(at int64, v [3]float64) {
			write(id, at, v, values[0])
			values = values[1:]
		})
	} else {
		id := add("/camera/gyro/sample")
		gyro.Samples(3, func(at int64, v [3]float64) { write(id, at, v, none) })
		id = add("/camera/accel/sample")
		accel.Samples(4, func(at int64, v [3]float64) { write(id, at, none, v) })
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
