package d400

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// wire records what is written to a camera: "interface/unit/selector=bytes" and
// "command parameters: data", without commands that only read.
type wire struct {
	mu   sync.Mutex
	list []string
}

func (w *wire) sent(s d435i.Setup, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.RequestType != uvc.RequestOut || s.Request != uvc.SetCur {
		return
	}
	if s.Value != model.XUHardwareMonitor<<8 || s.Index != 0x0300 {
		w.list = append(w.list, fmt.Sprintf("%d/%d/%x=%x", s.Index&0xff, s.Index>>8, s.Value>>8, data))
		return
	}
	var p [5]uint32
	for i := range p {
		p[i] = binary.LittleEndian.Uint32(data[4+4*i:])
	}
	read := []uint32{model.OpReadRegister, model.OpGetSubPreset, model.OpSubPresetID, model.OpGetLimits, model.OpGetSyncMode, model.OpGetAdvanced}
	if slices.Contains(read, p[0]) || p[0] == model.OpLaserAlwaysOn && p[1] == 2 || p[0] == model.OpAutoCalibration && p[1] == model.OldGetLimits {
		return
	}
	text := fmt.Sprintf("%x %x %x %x %x", p[0], p[1], p[2], p[3], p[4])
	if n := binary.LittleEndian.Uint16(data); n > 20 {
		text += fmt.Sprintf(": %x", data[24:4+n])
	}
	w.list = append(w.list, text)
}

func (w *wire) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.list
	w.list = nil
	return list
}

// TestSetOptions sets options as a user would, and compares what goes over USB with what
// librealsense 2.56.5 writes (2.58.2 to the firmware that it knows in addition), and the value that is read back.
func TestSetOptions(t *testing.T) {
	const (
		alternate = "7b 17 0 0 0: 050f000002" + "040100010000000000" + "040100010001000000"
		hdrOn     = "7b 21 0 0 0: 0500000002" + "0401000201" + "4c1d0000" + "0210000000" + "0401000201" + "01000000" + "0210000000"
		end       = "7b 0 0 0 0"
	)
	old := d435i.Options{Firmware: [4]uint8{5, 12, 12, 100}}
	advanced := d435i.Options{Advanced: true}
	for _, test := range []struct {
		name   string
		opt    d435i.Options
		sensor int
		set    []camdriver.OptionID
		to     []float32
		want   []string
		read   float32 // of the last one
	}{
		{"exposure", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionExposure}, []float32{12000}, []string{"0/3/b=00", "0/3/3=e02e0000"}, 12000},
		{"gain", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionGain}, []float32{32}, []string{"0/3/b=00", "0/2/4=20000000"}, 32},
		{"auto exposure", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionEnableAutoExposure}, []float32{0}, []string{"0/3/b=00"}, 0},
		{"laser power", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionEmitterEnabled, camdriver.OptionLaserPower}, []float32{0, 300}, []string{"0/3/2=00", "0/3/2=01", "0/3/4=2c01"}, 300},
		{"trigger", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionOutputTriggerEnabled}, []float32{1}, []string{"0/3/8=01"}, 1},
		{"full slave", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionInterCamSyncMode}, []float32{3}, []string{"69 3 0 0 0"}, 3},
		{"genlock", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionInterCamSyncMode}, []float32{258}, []string{"69 ff04 0 0 0"}, 258},
		{"laser on and off", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionInterCamSyncMode}, []float32{259}, []string{"69 10204 0 0 0"}, 259},
		{"laser off and on", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionInterCamSyncMode}, []float32{260}, []string{"69 30204 0 0 0"}, 260},
		{"slave of new firmware", d435i.Options{Firmware: [4]uint8{5, 17, 2, 5}}, 0, []camdriver.OptionID{camdriver.OptionInterCamSyncMode}, []float32{2}, []string{"0/3/12=02"}, 2},
		{"emitter on and off", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionEmitterOnOff}, []float32{1}, []string{alternate}, 1},
		{"emitter steady", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionEmitterOnOff, camdriver.OptionEmitterOnOff}, []float32{1, 0}, []string{alternate, end}, 0},
		{"emitter always on", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionEmitterAlwaysOn}, []float32{1}, []string{"7f 1 0 0 0"}, 1},
		{"exposure limit", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionAutoExposureLimit}, []float32{20000}, []string{"8a 0 4e20 0 0"}, 20000},
		{"gain limit", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionAutoExposureLimit, camdriver.OptionAutoGainLimit}, []float32{20000, 100}, []string{"8a 0 4e20 0 0", "8a 0 4e20 0 64"}, 100},
		{"gain limit's switch", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionAutoGainLimitToggle}, []float32{1}, []string{"8a 0 0 0 f8"}, 1},
		{"exposure limit off", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionAutoExposureLimit, camdriver.OptionAutoExposureLimitToggle}, []float32{20000, 0}, []string{"8a 0 4e20 0 0", "8a 0 0 0 0"}, 0},
		{"limits of old firmware", old, 0, []camdriver.OptionID{camdriver.OptionAutoExposureLimit, camdriver.OptionAutoGainLimit}, []float32{20000, 100}, []string{"80 4 4e20 0 0", "80 4 4e20 64 0"}, 100},
		{"HDR", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionHdrEnabled}, []float32{1}, []string{"0/3/b=00", "0/3/3=30750000", hdrOn}, 1},
		{"HDR off", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionHdrEnabled, camdriver.OptionHdrEnabled}, []float32{1, 0}, []string{"0/3/b=00", "0/3/3=30750000", hdrOn, end, "0/3/3=34210000", "0/3/b=01"}, 0},
		{"HDR's second exposure", d435i.Options{}, 0, []camdriver.OptionID{camdriver.OptionSequenceName, camdriver.OptionSequenceId, camdriver.OptionExposure, camdriver.OptionGain, camdriver.OptionHdrEnabled}, []float32{2, 2, 100, 17, 1},
			[]string{"0/3/b=00", "0/3/3=30750000", "7b 21 0 0 0: 0502000002" + "0401000201" + "4c1d0000" + "0210000000" + "0401000201" + "64000000" + "0211000000"}, 1},
		{"depth units", advanced, 0, []camdriver.OptionID{camdriver.OptionDepthUnits}, []float32{0.0001}, []string{"2b 9 0 0 0: 6400000000000000000001000000000000000000"}, 0.0001},
		{"colour exposure", d435i.Options{}, 1, []camdriver.OptionID{camdriver.OptionExposure}, []float32{300}, []string{"3/6/2=01000000", "3/6/4=2c010000"}, 300},
		{"colour auto exposure", d435i.Options{}, 1, []camdriver.OptionID{camdriver.OptionExposure, camdriver.OptionEnableAutoExposure}, []float32{300, 1}, []string{"3/6/2=01000000", "3/6/4=2c010000", "3/6/2=08000000"}, 1},
		{"hue", d435i.Options{}, 1, []camdriver.OptionID{camdriver.OptionHue}, []float32{-20}, []string{"3/7/6=ecffffff"}, -20},
		{"white balance", d435i.Options{}, 1, []camdriver.OptionID{camdriver.OptionWhiteBalance}, []float32{5000}, []string{"3/7/b=00000000", "3/7/a=88130000"}, 5000},
		{"emitter on and off of old firmware", d435i.Options{Firmware: [4]uint8{5, 11, 15, 0}}, 0, []camdriver.OptionID{camdriver.OptionEmitterOnOff}, []float32{1},
			[]string{"7b 2f 0 0 0: 1900" + "416c7465726e6174696e675f456d697474657200" + "000200" + "0500010100" + "000000000000" + "0500010100" + "000001000000"}, 1},
		{"exposure mode of the D455", d435i.Options{Product: model.D455}, 0, []camdriver.OptionID{camdriver.OptionDepthAutoExposureMode}, []float32{1}, []string{"0/3/11=01"}, 1},
		{"brightness of the D405", d435i.Options{Product: model.D405}, 0, []camdriver.OptionID{camdriver.OptionBrightness}, []float32{5}, []string{"0/2/2=05000000"}, 5},
		{"white balance of the D405", d435i.Options{Product: model.D405}, 0, []camdriver.OptionID{camdriver.OptionWhiteBalance}, []float32{5000}, []string{"0/2/b=00000000", "0/2/a=88130000"}, 5000},
		{"mains", d435i.Options{}, 1, []camdriver.OptionID{camdriver.OptionPowerLineFrequency}, []float32{1}, []string{"3/7/5=01000000"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, w := newFakeBus(t, test.opt), &wire{}
			s := openFake(t, b).Sensors()[test.sensor]
			b.sent = w.sent
			for i, id := range test.set {
				drivertest.Set(t, s, id, test.to[i])
			}
			if got := w.take(); !slices.Equal(got, test.want) {
				t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			last := test.set[len(test.set)-1]
			if got := optionValue(s.Options(), last); math.Abs(float64(got-test.read)) > 1e-7 {
				t.Errorf("%s is %g, want %g", last, got, test.read)
			}
		})
	}
}

// TestOptionList compares the options and ranges with those that librealsense 2.56.5 lists
// for the virtual camera.
func TestOptionList(t *testing.T) {
	type row struct {
		id                 camdriver.OptionID
		low, high, step, v float32 // v is the default
	}
	d := openFake(t, newFakeBus(t))
	got := map[camdriver.OptionID]camdriver.Option{}
	for _, o := range d.Sensors()[0].Options() {
		got[o.ID] = o
	}
	list := []row{
		{camdriver.OptionExposure, 1, 165000, 1, 8500},
		{camdriver.OptionGain, 16, 248, 1, 16},
		{camdriver.OptionEnableAutoExposure, 0, 1, 1, 1},
		{camdriver.OptionLaserPower, 0, 360, 30, 150},
		{camdriver.OptionEmitterEnabled, 0, 2, 1, 1},
		{camdriver.OptionAsicTemperature, -40, 125, 0, 0},
		{camdriver.OptionErrorPollingEnabled, 0, 1, 1, 0},
		{camdriver.OptionProjectorTemperature, -40, 125, 0, 0},
		{camdriver.OptionOutputTriggerEnabled, 0, 1, 1, 0},
		{camdriver.OptionInterCamSyncMode, 0, 260, 1, 0},
		{camdriver.OptionEmitterOnOff, 0, 1, 1, 0},
		{camdriver.OptionGlobalTimeEnabled, 0, 1, 1, 1},
		{camdriver.OptionEmitterAlwaysOn, 0, 1, 1, 0},
		{camdriver.OptionHdrEnabled, 0, 1, 1, 0},
		{camdriver.OptionSequenceName, 0, 3, 1, 1},
		{camdriver.OptionSequenceSize, 2, 2, 1, 2},
		{camdriver.OptionSequenceId, 0, 2, 1, 0},
		{camdriver.OptionAutoExposureLimit, 1, 165000, 1, 8500},
		{camdriver.OptionAutoGainLimit, 16, 248, 1, 16},
		{camdriver.OptionAutoExposureLimitToggle, 0, 1, 1, 0},
		{camdriver.OptionAutoGainLimitToggle, 0, 1, 1, 0},
	}
	for _, r := range list {
		if o := got[r.id]; o.Min != r.low || o.Max != r.high || o.Step != r.step || o.Default != r.v {
			t.Errorf("%s: got %+v, want %+v", r.id, o, r)
		}
		delete(got, r.id)
	}
	for _, id := range []camdriver.OptionID{camdriver.OptionDepthUnits, camdriver.OptionStereoBaseline, camdriver.OptionTotalFrameDrops} {
		if _, ok := got[id]; !ok {
			t.Errorf("no %s", id)
		}
		delete(got, id)
	}
	for id := range got {
		t.Errorf("%s isn't an option of this camera", id)
	}
}

// TestProductOptions compares which options of the stereo module a product has and lacks.
func TestProductOptions(t *testing.T) {
	const (
		bright, hue, mains = camdriver.OptionBrightness, camdriver.OptionHue, camdriver.OptionPowerLineFrequency
		white, sync        = camdriver.OptionEnableAutoWhiteBalance, camdriver.OptionInterCamSyncMode
		trigger, mode      = camdriver.OptionOutputTriggerEnabled, camdriver.OptionDepthAutoExposureMode
	)
	type ids = []camdriver.OptionID
	for _, test := range []struct {
		opt       d435i.Options
		has, lack ids
	}{
		{d435i.Options{}, ids{sync, trigger}, ids{bright, hue, mains, white, mode}},
		{d435i.Options{Product: model.D415}, ids{white, sync, trigger}, ids{bright, mode}},
		{d435i.Options{Product: model.D405}, ids{bright, hue, mains, white, trigger}, ids{sync, mode}},
		{d435i.Options{Product: model.D405, GVD: model.GVD{Hardware: 7}}, ids{bright, sync, trigger}, ids{mode}},
		{d435i.Options{Product: model.D421}, nil, ids{bright, sync, trigger}},
		{d435i.Options{Product: model.D455}, ids{sync, trigger, mode}, ids{bright, white}},
	} {
		d := openFake(t, newFakeBus(t, test.opt))
		name, count := camdriver.Find(d.Info(), camdriver.InfoName), map[camdriver.OptionID]int{}
		for _, o := range d.Sensors()[0].Options() {
			if count[o.ID]++; count[o.ID] > 1 {
				t.Errorf("%s has %s twice", name, o.ID)
			}
		}
		for _, id := range test.has {
			if count[id] == 0 {
				t.Errorf("%s lacks %s", name, id)
			}
		}
		for _, id := range test.lack {
			if count[id] > 0 {
				t.Errorf("%s has %s", name, id)
			}
		}
	}
}

// TestExclusiveOptions checks that options that exclude each other are refused.
func TestExclusiveOptions(t *testing.T) {
	for _, test := range []struct{ on, refused camdriver.OptionID }{
		{camdriver.OptionEmitterOnOff, camdriver.OptionEmitterAlwaysOn},
		{camdriver.OptionEmitterAlwaysOn, camdriver.OptionEmitterOnOff},
		{camdriver.OptionHdrEnabled, camdriver.OptionEmitterOnOff},
		{camdriver.OptionHdrEnabled, camdriver.OptionEnableAutoExposure},
		{camdriver.OptionHdrEnabled, camdriver.OptionExposure},
		{camdriver.OptionHdrEnabled, camdriver.OptionLaserPower},
		{camdriver.OptionHdrEnabled, camdriver.OptionEmitterEnabled},
	} {
		s := openFake(t, newFakeBus(t)).Sensors()[0]
		drivertest.Set(t, s, test.on, 1)
		if err := s.SetOption(test.refused, 1); !errors.Is(err, camdriver.ErrBusy) {
			t.Errorf("%s while %s is on: %v", test.refused, test.on, err)
		}
	}
}

// TestNoStall checks that opening a camera and reading its options asks for nothing that it
// hasn't.
func TestNoStall(t *testing.T) {
	b := newFakeBus(t)
	d := openFake(t, b)
	for _, s := range d.Sensors() {
		s.Options()
	}
	if n := b.camera(0).Stalls(); n != 0 {
		t.Errorf("%d requests were stalled", n)
	}
}

// TestOneOption checks that reading one option makes no transfers for the others.
func TestOneOption(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		s := d.Sensors()[0]
		need.Must(t, s.Start([]camdriver.Profile{smallDepth}, &recorder{}))
		pass(t, time.Second)
		transfers := 0
		b.hook(func(op string) error {
			if strings.HasPrefix(op, "control") {
				transfers++
			}
			return nil
		})
		o, ok := s.Option(camdriver.OptionProjectorTemperature)
		b.hook(nil)
		if !ok || o.Value != 31 || transfers != 1 {
			t.Errorf("temperature %+v (%v) after %d transfers, want 31 after 1", o, ok, transfers)
		}
	})
}

// TestSequenceMetadata checks that the frames of HDR and of an alternating emitter tell their
// settings and places, and that depth units apply to frames.
func TestSequenceMetadata(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		s := d.Sensors()[0]
		type seen struct{ id, exposure, emitter int64 }
		frames := map[seen]int{}
		var units float32
		r.Each = func(f *camdriver.Frame) {
			var v seen
			v.id, _ = f.Meta(camdriver.MetaSequenceId)
			v.exposure, _ = f.Meta(camdriver.MetaActualExposure)
			v.emitter, _ = f.Meta(camdriver.MetaFrameEmitterMode)
			frames[v]++
			units = f.DepthUnits
		}
		for _, test := range []struct {
			option camdriver.OptionID
			want   [2]seen
		}{
			{camdriver.OptionHdrEnabled, [2]seen{{0, 7500, 1}, {1, 1, 1}}},
			{camdriver.OptionEmitterOnOff, [2]seen{{0, 8500, 0}, {1, 8500, 1}}},
		} {
			drivertest.Set(t, s, test.option, 1)
			drivertest.Set(t, s, camdriver.OptionDepthUnits, 0.0005)
			clear(frames)
			drivertest.Start(t, s, r, smallDepth)
			pass(t, 3*time.Second)
			drivertest.Stop(t, s)
			a, b := frames[test.want[0]], frames[test.want[1]]
			if len(frames) != 2 || a < 20 || a-b > 1 || b-a > 1 {
				t.Errorf("%s: %v", test.option, frames)
			}
			if units != 0.0005 {
				t.Errorf("depth units %g", units)
			}
			drivertest.Set(t, s, test.option, 0)
		}
	}, d435i.Options{Advanced: true})
}
