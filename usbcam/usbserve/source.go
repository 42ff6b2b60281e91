// Package usbserve presents a camdriver.Device as a D435i on USB: it sends frames, times, metadata
// and calibration in the form in which a camera sends them.
package usbserve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/usbcam/d435i"
)

// Source is a device as the source of a virtual camera. It implements d435i.Source. Close
// stops the device's sensors, and leaves the device open.
type Source struct {
	camdriver.NopHandler
	dev     camdriver.Device
	streams map[camdriver.StreamID]int // index of the sensor
	offers  map[camdriver.StreamID][]camdriver.Profile
	modes   []d435i.Mode
	needs   map[d435i.Mode][]camdriver.Profile // that the mode is made of
	product uint16
	tables  d435i.Tables

	arrivals arrivals // what the sensors have sent, for the calls that wait for it

	// life guards the following, and serializes starting and stopping; handlers don't hold it.
	life      sync.Mutex
	wanted    map[d435i.Mode]bool
	rates     [2]int                      // of gyro and accel
	active    map[int][]camdriver.Profile // by sensor
	stopTimer *time.Timer                 // calls stopUnused
	closed    bool
}

// New returns a source. The device must have a depth stream of Z16.
func New(dev camdriver.Device) (*Source, error) {
	s := &Source{
		dev: dev, streams: map[camdriver.StreamID]int{}, wanted: map[d435i.Mode]bool{},
		offers: map[camdriver.StreamID][]camdriver.Profile{}, needs: map[d435i.Mode][]camdriver.Profile{},
		active: map[int][]camdriver.Profile{}, arrivals: newArrivals(),
	}
	for i, sensor := range dev.Sensors() {
		for _, p := range sensor.Profiles() {
			s.streams[p.Stream] = i
			p.Default = false
			if sendable(p) && !slices.Contains(s.offers[p.Stream], p) {
				s.offers[p.Stream] = append(s.offers[p.Stream], p)
			}
		}
	}
	s.listModes()
	has := func(code string) bool {
		return slices.ContainsFunc(s.modes, func(m d435i.Mode) bool { return m.Code == code })
	}
	_, gyro := s.streams[camdriver.GyroStream]
	_, accel := s.streams[camdriver.AccelStream]
	switch {
	case !has(model.CodeZ16):
		return nil, fmt.Errorf("device has no depth stream of format Z16: %w", camdriver.ErrUnsupported)
	case !has(model.CodeYUY2):
		s.product = model.D430
	case gyro && accel:
		s.product = model.D435I
	default:
		s.product = model.D435
	}
	var err error
	s.tables, err = tablesOf(dev, s)
	s.stopTimer = time.AfterFunc(idle, func() { _ = s.stopUnused() }) // if it fails, Close stops the device
	return s, err
}

// Options returns the options of a camera that sends the source's frames.
func (s *Source) Options() d435i.Options {
	o := d435i.Options{Source: s, Product: s.product, Tables: s.tables}
	o.Serial = serial(camdriver.Find(s.dev.Info(), camdriver.InfoSerialNumber))
	o.ASICSerial = o.Serial
	return o
}

// serial packs the digits of a serial number, usually twelve. Zeros precede fewer. What is not such a
// number becomes one that differs from those of other texts.
func serial(text string) (b [6]byte) {
	padded := strings.Repeat("0", max(0, 2*len(b)-len(text))) + text
	if len(padded) == 2*len(b) {
		if _, err := hex.Decode(b[:], []byte(padded)); err == nil {
			return b
		}
	}
	sum := sha256.Sum256([]byte(text))
	copy(b[:], sum[:])
	return b
}

// want calls change unless the wanted profiles are so already, and restarts the sensors that don't stream them.
// The others may continue with more than is wanted until stopUnused: a host that clears an endpoint
// to restart a stream must not wait for a device that is slow to start.
func (s *Source) want(already func() bool, change func()) error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return camdriver.ErrClosed
	}
	if already() {
		return nil
	}
	change()
	return s.stream(func(wanted, active []camdriver.Profile) bool {
		return !slices.ContainsFunc(wanted, func(p camdriver.Profile) bool { return !slices.Contains(active, p) })
	})
}

// stopUnused stops streams that aren't wanted.
func (s *Source) stopUnused() error {
	s.life.Lock()
	defer s.life.Unlock()
	return s.stream(slices.Equal)
}

// stream restarts sensors unless what they stream is good enough. It requires life.
func (s *Source) stream(enough func(wanted, active []camdriver.Profile) bool) error {
	selection := s.selection()
	var errs []error
	for i, sensor := range s.dev.Sensors() {
		wanted := selection[i]
		if enough(wanted, s.active[i]) {
			continue
		}
		errs = append(errs, sensor.Stop())
		s.arrivals.forget(i, s.active[i])
		delete(s.active, i)
		if len(wanted) > 0 {
			err := sensor.Start(wanted, s)
			if err == nil {
				s.active[i] = wanted
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Source) start(m d435i.Mode) error {
	return s.want(func() bool { return s.wanted[m] }, func() { s.wanted[m] = true })
}

// selection returns the profiles of each sensor. It requires life.
func (s *Source) selection() map[int][]camdriver.Profile {
	out := map[int][]camdriver.Profile{}
	add := func(p camdriver.Profile) {
		if i := s.streams[p.Stream]; p.FPS > 0 && !slices.Contains(out[i], p) {
			out[i] = append(out[i], p)
		}
	}
	for _, m := range s.modes {
		if s.wanted[m] {
			for _, p := range s.needs[m] {
				add(p)
			}
		}
	}
	for i, id := range []camdriver.StreamID{camdriver.GyroStream, camdriver.AccelStream} {
		if s.rates[i] > 0 {
			add(s.motion(id, s.rates[i]))
		}
	}
	return out
}

// motion returns the profile with the rate nearest to a requested one.
func (s *Source) motion(id camdriver.StreamID, rate int) camdriver.Profile {
	list := s.offers[id]
	if len(list) == 0 {
		return camdriver.Profile{}
	}
	return slices.MinFunc(list, func(a, b camdriver.Profile) int {
		return cmp.Compare(math.Abs(float64(a.FPS-rate)), math.Abs(float64(b.FPS-rate)))
	})
}

// idle is how long a device keeps streams that no host reads.
const idle = 10 * time.Second

// Stop implements d435i.Source.
func (s *Source) Stop(m d435i.Mode) {
	s.life.Lock()
	defer s.life.Unlock()
	if s.wanted[m] && !s.closed {
		delete(s.wanted, m)
		s.stopTimer.Reset(idle)
	}
}

// Rest stops all streams. A host may start them again.
func (s *Source) Rest() error {
	s.life.Lock()
	defer s.life.Unlock()
	clear(s.wanted)
	s.rates = [2]int{}
	return s.stream(slices.Equal)
}

// Close stops the device's sensors. Later calls return ErrClosed.
func (s *Source) Close() error {
	err := s.Rest()
	s.life.Lock()
	defer s.life.Unlock()
	s.closed = true
	s.stopTimer.Stop()
	return err
}

// Frame keeps the newest frame of each stream.
func (s *Source) Frame(sensor int, f *camdriver.Frame) { s.arrivals.frame(sensor, f) }

// StatusChanged ends waiting if the device has no more frames.
func (s *Source) StatusChanged(st camdriver.Status) {
	var err error
	if st.Kind == camdriver.StatusFailed {
		err = fmt.Errorf("the source failed: %w", st.Err)
	}
	s.arrivals.fail(err)
}

// Next implements d435i.Source.
func (s *Source) Next(ctx context.Context, m d435i.Mode) (shot d435i.Shot, err error) {
	if ctx.Err() != nil {
		return shot, ctx.Err()
	}
	if err := s.start(m); err != nil {
		return shot, err
	}
	id := s.needs[m][0].Stream
	if m.Code == model.CodeY8I {
		id = pairStream
	}
	a, err := s.arrivals.image(ctx, id, m)
	if err != nil {
		return shot, err
	}
	defer a.release()
	meta := &camdriver.Frame{Metadata: a.frames[0].Metadata} // not a frame that may be used again
	return d435i.Shot{Number: a.number, Time: a.time, Meta: meta.Meta, Pixels: s.pixels(m, a.frames)}, nil
}

// Sample implements d435i.Source.
func (s *Source) Sample(ctx context.Context, gyro, accel int) (out d435i.Sample, err error) {
	rates := [2]int{gyro, accel}
	if err := s.want(func() bool { return s.rates == rates }, func() { s.rates = rates }); err != nil {
		return out, err
	}
	return s.arrivals.sample(ctx)
}

// Clock implements d435i.Source.
func (s *Source) Clock() uint32 { return s.arrivals.clock() }

// Set implements d435i.Source. It ignores devices whose options can't be set, such as recordings.
func (s *Source) Set(stream camdriver.StreamID, option camdriver.OptionID, value float32) {
	if i, ok := s.streams[stream]; ok {
		_ = s.dev.Sensors()[i].SetOption(option, value)
	}
}
