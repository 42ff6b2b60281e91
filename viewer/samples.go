package viewer

import (
	"encoding/binary"
	"math"
	"time"

	"rsros/camdriver"
	"rsros/viewer/api"
	"rsros/viewer/clients"
)

const (
	// sampleInterval is the time for which samples are collected before they are sent.
	sampleInterval = 20 * time.Millisecond
	// sampleSize is a sample in a message: seconds after the message's time, x, y, z.
	sampleSize = 4 * 8
	// sampleBytes bounds the samples that wait for a viewer: 5 s at 400 Hz.
	sampleBytes = 2000 * sampleSize
)

// samples are samples of an inertial sensor that are sent together.
type samples struct {
	clients.Shared
	number      uint64 // of the first
	stamp, time api.Nanos
	data        []byte
}

func (b *samples) parts(h api.Head, _ form) [][]byte {
	h.Kind, h.Codec, h.Number, h.Stamp, h.Time = api.Motion, api.Samples, b.number, uint64(b.stamp), uint64(b.time)
	return [][]byte{h.Append(nil), b.data}
}

// sample adds a sample to the next message.
func (s *stream) sample(f *camdriver.Frame, stamp, at api.Nanos) {
	v := f.Motion.Gyro
	if f.Profile.Stream.Kind == camdriver.Accel {
		v = f.Motion.Accel
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.samples
	if b == nil {
		b = &samples{number: f.Number, stamp: stamp, time: at}
		s.samples = b
		time.AfterFunc(sampleInterval, s.sendSamples)
	}
	for _, x := range [4]float64{float64(at-b.time) / 1e9, v[0], v[1], v[2]} {
		b.data = binary.LittleEndian.AppendUint64(b.data, math.Float64bits(x))
	}
}

// sendSamples sends the collected samples to their viewers.
func (s *stream) sendSamples() {
	s.mu.Lock()
	b := s.samples
	s.samples = nil
	s.mu.Unlock()
	b.Init(int64(len(b.data)), nil)
	b.Count = uint64(len(b.data) / sampleSize)
	s.offer(b)
}
