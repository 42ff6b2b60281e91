package rsbag

import (
	"path/filepath"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/workload"
)

// benchTick is what a D435i at 1280x720 and 30 fps produces in a thirtieth of a second: depth, colour,
// two infrared images, and its inertial samples.
func benchTick(b *testing.B) (camdriver.DeviceSnapshot, []*camdriver.Frame) {
	b.Helper()
	snap := camdriver.DeviceSnapshot{Sensors: []camdriver.SensorSnapshot{
		{Name: "Stereo Module", Options: testOptions()}, {Name: "RGB Camera"}, {Name: "Motion Module"}}}
	pool := camdriver.NewPool(64 << 20)
	var frames []*camdriver.Frame
	add := func(sensor, n int, p camdriver.Profile) {
		snap.Streams = append(snap.Streams, testStream(sensor, 0, p))
		for range n {
			f := testFrame(p, 1, testStart)
			if size := p.FrameSize(); size > 0 {
				buf := pool.Get(size)
				for i := range buf.Bytes { // some texture, so that compression has work
					buf.Bytes[i] = byte(i*i>>7 ^ i>>3)
				}
				f.Data = buf.Bytes
			}
			frames = append(frames, f)
		}
	}
	add(0, 1, camdriver.Profile{Stream: id(camdriver.Depth, 0), Format: camdriver.Z16, Width: 1280, Height: 720, FPS: 30})
	add(0, 1, camdriver.Profile{Stream: id(camdriver.Infrared, 1), Format: camdriver.Y8, Width: 1280, Height: 720, FPS: 30})
	add(0, 1, camdriver.Profile{Stream: id(camdriver.Infrared, 2), Format: camdriver.Y8, Width: 1280, Height: 720, FPS: 30})
	add(1, 1, camdriver.Profile{Stream: id(camdriver.Color, 0), Format: camdriver.RGB8, Width: 1280, Height: 720, FPS: 30})
	add(2, 7, camdriver.Profile{Stream: id(camdriver.Gyro, 0), Format: camdriver.MotionXYZ32F, FPS: 200})
	add(2, 3, camdriver.Profile{Stream: id(camdriver.Accel, 0), Format: camdriver.MotionXYZ32F, FPS: 100})
	return snap, frames
}

func cpuSeconds() float64 {
	user, system := workload.CPUTime()
	return user + system
}

// BenchmarkRecord writes camera frames at full speed; one operation is a thirtieth of a second of a
// camera. cpu-s/GB counts all threads.
func BenchmarkRecord(b *testing.B) {
	for name, o := range map[string]bagstore.Options{
		"none-buffered": {Sink: bagstore.Buffered}, "none-direct": {Sink: bagstore.Direct}, "lz4": {Compression: bagstore.LZ4, Sink: bagstore.Direct},
	} {
		b.Run(name, func(b *testing.B) {
			snap, frames := benchTick(b)
			r, err := NewRecorder(filepath.Join(b.TempDir(), "x.bag"), snap, RecorderOptions{Bag: o})
			need.Must(b, err)
			size := 0
			for _, f := range frames {
				size += len(f.Data)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			start, n := cpuSeconds(), 0
			for b.Loop() {
				for _, f := range frames {
					f.Arrival = testStart.Add(time.Duration(n) * time.Second / 30)
					need.Must(b, r.Frame(sensorOf(snap, f), f))
				}
				n++
			}
			need.Must(b, r.Close())
			b.ReportMetric((cpuSeconds()-start)/(float64(size)*float64(n)/1e9), "cpu-s/GB")
		})
	}
}

func sensorOf(snap camdriver.DeviceSnapshot, f *camdriver.Frame) int {
	for _, s := range snap.Streams {
		if s.Profile.Stream == f.Stream() {
			return s.Sensor
		}
	}
	return -1
}

// BenchmarkEncode measures everything but the pixels: one depth frame's metadata.
func BenchmarkEncode(b *testing.B) {
	snap, frames := benchTick(b)
	st := rslayout.NewEncoder(snap).Stream(frames[0].Stream())
	var w msgs.Encoder
	var list []msgs.Raw
	b.ReportAllocs()
	for b.Loop() {
		w.B = w.B[:0]
		list = st.AppendMetadata(st.AppendData(list[:0], &w, frames[0]), &w, frames[0])
	}
}

// BenchmarkCursor walks a file by librealsense: 1140 frames.
func BenchmarkCursor(b *testing.B) {
	f := openSample(b, "sw_small_lz4")
	c := f.Cursor(CursorOptions{})
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Next(); !ok {
			c.Seek(0)
		}
	}
}
