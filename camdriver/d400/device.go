package d400

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/d400/stamp"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
)

// Options configures Open. The zero value is valid.
type Options struct {
	Log zerolog.Logger
	// Rescan is the interval between searches for an unplugged camera; 500 ms if 0.
	Rescan time.Duration
}

// Device is an open camera. It remains valid while the camera is unplugged and plugged in again.
type Device struct {
	bus     usb.Bus
	log     zerolog.Logger
	product model.Product
	sensors []*sensor
	pool    *camdriver.Pool
	clock   stamp.Clock
	host    hostSettings
	poses   map[camdriver.StreamID]camdriver.Extrinsics // from depth

	rescan time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when keep has returned
	active atomic.Int32  // number of streaming sensors

	// life serializes starting and stopping streams. Handlers must not acquire it.
	life   sync.Mutex
	closed bool

	mu   sync.RWMutex
	info []camdriver.Info
	link *link         // nil while the camera is unplugged
	back chan struct{} // closed when the camera returns; nil while it is connected
}

// poolBytes bounds the memory of unreleased frames.
const poolBytes = 256 << 20

// newDevice returns a device for a connected camera.
func newDevice(bus usb.Bus, l *link, p model.Product, o Options) (*Device, error) {
	d := &Device{
		bus: bus, product: p, pool: camdriver.NewPool(poolBytes), rescan: cmp.Or(o.Rescan, rescan),
		log:  o.Log.With().Str("component", "d400").Str("serial", l.id.Serial.String()).Logger(),
		done: make(chan struct{}), link: l,
	}
	d.ctx, d.cancel = context.WithCancelCause(context.Background())
	l.endWith(d.ctx)
	err := checkParts(l, p)
	if err == nil {
		err = d.describe(l)
	}
	if err != nil {
		d.cancel(err)
		return nil, err
	}
	if text := oldFirmware(l.id.Firmware, p); text != "" {
		d.log.Warn().Msg(text)
	}
	if l.usb.USB2() {
		d.log.Warn().Str("usb", l.usb.Version()).
			Msg("the camera is on a USB 2 link and offers fewer profiles; use a USB 3 port and cable")
	}
	go d.keep(l)
	return d, nil
}

// checkParts returns an error if a part of the camera is missing.
func checkParts(l *link, p model.Product) error {
	if p.Color && l.color == nil {
		return fmt.Errorf("%s has no colour function; unplug it and plug it in again", p.Name())
	}
	return nil
}

// oldFirmware says what old firmware lacks, or "". The SDK's minimum is what it lets a camera be set back to; cameras
// with older firmware stream.
func oldFirmware(firmware model.Version, p model.Product) string {
	if !firmware.Less(p.Minimum) {
		return ""
	}
	text := fmt.Sprintf("firmware %s is older than %s, from which on the SDK supports this camera; rs-fw-update installs %s",
		firmware, p.Minimum, model.RecommendedFirmware)
	if firmware.Less(model.HDRFirmware) {
		text += "; without HDR"
	}
	return text
}

// describe reads what doesn't change during the life of the device.
func (d *Device) describe(l *link) error {
	d.info = deviceInfo(l, d.product)
	cal := readCalibration(l, d)
	d.poses = cal.poses(d.product)
	module := &stereoModule{host: &d.host, baseline: float32(math.Abs(cal.stereo.Baseline))}
	stereo := &sensor{
		name: "Stereo Module", module: module, filters: camdriver.DepthFilters,
		make: func(l *link) []setting { return module.settings(l, d.product) },
		find: func(l *link) []mode { return modesOf(l.depth, d.product) },
	}
	module.streaming = stereo.region.streams.Load
	stereo.region.op = model.OpSetROI
	d.sensors = append(d.sensors, stereo)
	if l.color != nil {
		color := &sensor{
			name: "RGB Camera", filters: camdriver.ColorFilters,
			make: func(l *link) []setting { return append(colorSettings(l.color, false), d.host.globalTime()) },
			find: func(l *link) []mode { return modesOf(l.color, d.product) },
		}
		if !l.id.Firmware.Less(colorROIFirmware) {
			color.region.op = model.OpSetColorROI
		}
		d.sensors = append(d.sensors, color)
	}
	if l.hid != nil {
		d.sensors = append(d.sensors, &sensor{
			name: "Motion Module", motion: model.MotionProfiles(l.id.AccelChip),
			make: func(*link) []setting { return motionSettings(&d.host) },
		})
	}
	for i, s := range d.sensors {
		s.dev, s.number, s.cal = d, i, cal
		if err := s.attach(l); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// deviceInfo returns the description in InfoKey order.
func deviceInfo(l *link, p model.Product) []camdriver.Info {
	yes := map[bool]string{false: "NO", true: "YES"}
	return []camdriver.Info{
		{Key: camdriver.InfoName, Value: p.Name()},
		{Key: camdriver.InfoSerialNumber, Value: l.id.Serial.String()},
		{Key: camdriver.InfoFirmwareVersion, Value: l.id.Firmware.String()},
		{Key: camdriver.InfoRecommendedFirmwareVersion, Value: model.RecommendedFirmware},
		{Key: camdriver.InfoPhysicalPort, Value: l.usb.Port},
		{Key: camdriver.InfoDebugOpCode, Value: "15"}, // the SDK's value, for reading logs
		{Key: camdriver.InfoAdvancedMode, Value: yes[l.advanced]},
		{Key: camdriver.InfoProductId, Value: fmt.Sprintf("%04X", p.ID)},
		{Key: camdriver.InfoCameraLocked, Value: yes[l.id.Locked]},
		{Key: camdriver.InfoUsbTypeDescriptor, Value: l.usb.Version()},
		{Key: camdriver.InfoProductLine, Value: "D400"},
		{Key: camdriver.InfoAsicSerialNumber, Value: l.id.ASICSerial.String()},
		{Key: camdriver.InfoFirmwareUpdateId, Value: l.id.ASICSerial.String()},
		{Key: camdriver.InfoConnectionType, Value: "USB"},
		{Key: camdriver.InfoImuType, Value: l.id.IMUType()},
	}
}

func (d *Device) Info() []camdriver.Info {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.Clone(d.info)
}

func (d *Device) Sensors() []camdriver.Sensor {
	list := make([]camdriver.Sensor, len(d.sensors))
	for i, s := range d.sensors {
		list[i] = s
		if s.region.op != 0 {
			list[i] = roiSensor{s}
		}
	}
	return list
}

func (d *Device) Extrinsics(from, to camdriver.StreamID) (camdriver.Extrinsics, error) {
	a, okA := d.poses[from]
	b, okB := d.poses[to]
	if !okA || !okB {
		return camdriver.Extrinsics{}, fmt.Errorf("extrinsics from %s to %s: %w", from, to, camdriver.ErrNotFound)
	}
	return a.Inverse().Then(b), nil
}

func (d *Device) Reset() error {
	d.life.Lock()
	defer d.life.Unlock()
	l, err := d.current()
	if err != nil {
		return err
	}
	if _, err := l.command(model.OpReset, nil); err != nil && !errors.Is(err, camdriver.ErrUnplugged) {
		return fmt.Errorf("reset: %w", err)
	}
	d.leaves()
	l.lost(errReset)
	return nil
}

// leaves records that the camera is, or soon will be, disconnected.
func (d *Device) leaves() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.back == nil {
		d.back = make(chan struct{})
	}
}

func (d *Device) AwaitReturn(ctx context.Context) error {
	d.mu.RLock()
	back := d.back
	d.mu.RUnlock()
	if back != nil {
		select {
		case <-back:
		case <-d.ctx.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return context.Cause(d.ctx)
}

func (d *Device) Close() error {
	d.cancel(camdriver.ErrClosed)
	<-d.done
	d.life.Lock()
	defer d.life.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	var errs []error
	for _, s := range d.sensors {
		errs = append(errs, s.stop())
	}
	if d.link != nil { // only keep, which has ended, sets it
		errs = append(errs, d.link.close())
		d.setLink(nil)
	}
	return errors.Join(errs...)
}

// current returns the link, or the reason why there is none.
func (d *Device) current() (*link, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	switch {
	case d.ctx.Err() != nil:
		return nil, camdriver.ErrClosed
	case d.link == nil:
		return nil, camdriver.ErrUnplugged
	}
	return d.link, nil
}
