package usbserve

import (
	"context"
	"sync"
	"time"

	"rsros/camdriver"
	"rsros/usbcam/d435i"
)

// arrivals are what a device has sent and the host hasn't taken. The device's handlers put it in, and the host's calls
// wait for it.
type arrivals struct {
	// mu guards all fields.
	mu      sync.Mutex
	changed chan struct{} // closed, and replaced, when something arrives
	latest  map[camdriver.StreamID]*arrival
	samples []d435i.Sample
	lost    error // why there are no more frames
	time    timeline
	scratch map[d435i.Mode][]byte
}

// arrival is the newest frame of a stream.
type arrival struct {
	frames []*camdriver.Frame // several of pairStream
	number uint32
	time   uint32
	taken  map[d435i.Mode]bool
}

// pairStream has the newest left and right infrared frames of the same number.
var pairStream = camdriver.StreamID{Kind: camdriver.Infrared}

// maxSamples bounds the motion samples that wait for the host.
const maxSamples = 64

func newArrivals() arrivals {
	return arrivals{changed: make(chan struct{}), latest: map[camdriver.StreamID]*arrival{},
		scratch: map[d435i.Mode][]byte{}}
}

// frame keeps a sensor's frame.
func (w *arrivals) frame(sensor int, f *camdriver.Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := f.Stream()
	number, us := w.time.place(sensor, f)
	if id.Kind.Inertial() {
		value := f.Motion.Accel
		if id.Kind == camdriver.Gyro {
			value = f.Motion.Gyro
		}
		w.samples = append(w.samples, d435i.Sample{Gyro: id.Kind == camdriver.Gyro, Time: us, Value: value})
		w.samples = w.samples[max(0, len(w.samples)-maxSamples):]
	} else {
		w.put(id, number, us, f)
		left, right := w.latest[camdriver.LeftStream], w.latest[camdriver.RightStream]
		if id.Kind == camdriver.Infrared && left != nil && right != nil && left.number == right.number {
			w.put(pairStream, left.number, left.time, left.frames[0], right.frames[0])
		}
	}
	w.wake()
}

// put makes frames the newest of a stream, and keeps them. It requires mu.
func (w *arrivals) put(id camdriver.StreamID, number, us uint32, frames ...*camdriver.Frame) {
	w.drop(id)
	for _, f := range frames {
		f.Retain()
	}
	w.latest[id] = &arrival{frames: frames, number: number, time: us, taken: map[d435i.Mode]bool{}}
}

// drop releases the newest frame of a stream. It requires mu.
func (w *arrivals) drop(id camdriver.StreamID) {
	if a := w.latest[id]; a != nil {
		a.release()
		delete(w.latest, id)
	}
}

func (a *arrival) release() {
	for _, f := range a.frames {
		f.Release()
	}
}

// forget releases the frames of a sensor that has stopped.
func (w *arrivals) forget(sensor int, streamed []camdriver.Profile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.time.restart(sensor)
	for _, p := range streamed {
		if w.drop(p.Stream); p.Stream.Kind == camdriver.Infrared {
			w.drop(pairStream)
		}
	}
}

// fail ends waiting, now and later, if err isn't nil.
func (w *arrivals) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = err
	w.wake()
}

// wake requires mu.
func (w *arrivals) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// image waits for an image that the mode hasn't taken. The caller must release it.
func (w *arrivals) image(ctx context.Context, id camdriver.StreamID, m d435i.Mode) (a *arrival, err error) {
	err = w.await(ctx, func() bool {
		a = w.latest[id]
		if a == nil || a.taken[m] {
			return false
		}
		a.taken[m] = true
		for _, f := range a.frames {
			f.Retain()
		}
		return true
	})
	return a, err
}

// sample waits for the oldest motion sample.
func (w *arrivals) sample(ctx context.Context) (out d435i.Sample, err error) {
	err = w.await(ctx, func() bool {
		if len(w.samples) == 0 {
			return false
		}
		out, w.samples = w.samples[0], w.samples[1:]
		return true
	})
	return out, err
}

// await calls ready, with mu held, until it returns true or the device has no more frames.
func (w *arrivals) await(ctx context.Context, ready func() bool) error {
	for {
		w.mu.Lock()
		err, changed := w.lost, w.changed
		done := err == nil && ready()
		w.mu.Unlock()
		if done || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// clock returns the time of a frame that arrives now.
func (w *arrivals) clock() uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.time.now(time.Now())
}

// buffer returns the memory for a mode's images. The next image overwrites it.
func (w *arrivals) buffer(m d435i.Mode) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.scratch[m] == nil {
		w.scratch[m] = make([]byte, m.Bytes())
	}
	return w.scratch[m]
}
