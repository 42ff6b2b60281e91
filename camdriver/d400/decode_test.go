package d400

import (
	"cmp"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/test/drivertest"
	"rsros/usbcam/d435i"
)

// TestMetadata compares the metadata of a frame of each imager with what the camera sends.
func TestMetadata(t *testing.T) {
	small := camdriver.Profile{Stream: camdriver.ColorStream, Format: camdriver.YUYV, Width: 320, Height: 180, FPS: 60}
	for sensor, test := range []struct {
		profile camdriver.Profile
		want    map[camdriver.MetadataKey]int64
	}{
		{smallDepth, map[camdriver.MetadataKey]int64{
			camdriver.MetaFrameCounter: 1, camdriver.MetaActualExposure: d435i.MetaExposure,
			camdriver.MetaGainLevel: d435i.MetaGain, camdriver.MetaFrameLaserPower: d435i.MetaLaserPower,
			camdriver.MetaExposureRoiRight: 255, camdriver.MetaExposureRoiBottom: 143,
			camdriver.MetaFrameEmitterMode: 1, camdriver.MetaFrameLaserPowerMode: 1,
			camdriver.MetaWhiteBalance: d435i.MetaWhite,
		}},
		{small, map[camdriver.MetadataKey]int64{
			camdriver.MetaFrameCounter: 1, camdriver.MetaActualExposure: d435i.MetaColorUnits,
			camdriver.MetaBrightness: d435i.MetaBrightness, camdriver.MetaAutoExposure: 1,
			camdriver.MetaAutoWhiteBalanceTemperature: d435i.MetaTemperature, camdriver.MetaGainLevel: d435i.MetaColorGain,
			camdriver.MetaManualWhiteBalance: d435i.MetaWhite, camdriver.MetaPowerLineFrequency: 3, camdriver.MetaGamma: 300,
		}},
	} {
		bubble(t, func(t *testing.T, _ *fakeBus, d *Device, r *recorder) {
			var first *camdriver.Frame
			r.Each = func(f *camdriver.Frame) { first = cmp.Or(first, &camdriver.Frame{Metadata: f.Metadata}) }
			drivertest.Start(t, d.Sensors()[sensor], r, test.profile)
			pass(t, time.Second)
			drivertest.Stop(t, d.Sensors()[sensor])
			for k, want := range test.want {
				if got, ok := first.Meta(k); !ok || got != want {
					t.Errorf("%s: %s is %d (%v), want %d", test.profile, k, got, ok, want)
				}
			}
			for _, k := range []camdriver.MetadataKey{
				camdriver.MetaActualFps, camdriver.MetaInputWidth, camdriver.MetaInputHeight, camdriver.MetaPreset, camdriver.MetaSubPresetInfo,
			} {
				if v, ok := first.Meta(k); ok {
					t.Errorf("%s: %s is %d, which the SDK doesn't read", test.profile, k, v)
				}
			}
			stamp, _ := first.Meta(camdriver.MetaFrameTimestamp)
			if got, _ := first.Meta(camdriver.MetaSensorTimestamp); got != stamp-d435i.MetaHalf {
				t.Errorf("%s: sensor timestamp %d, frame timestamp %d", test.profile, got, stamp)
			}
		})
	}
}

func TestMetadataTooLong(t *testing.T) {
	var m model.Metadata
	if err := m.Parse([]byte{1, 0, 0, 0x80, 200, 0, 0, 0, 0, 0, 0, 0}, 0); err == nil {
		t.Error("a block longer than the header was taken")
	}
}

// configurationOf reads a virtual camera's configuration.
func configurationOf(o d435i.Options) []byte {
	c := d435i.New(o)
	defer c.Unplug()
	return c.Configuration()
}

func FuzzConfiguration(f *testing.F) {
	f.Add(configurationOf(d435i.Options{}))
	f.Add(configurationOf(d435i.Options{USB2: true}))
	f.Add([]byte{9, 2, 9, 0, 1, 1, 0, 0, 0})
	f.Add([]byte{9, 2, 9, 0, 1, 1, 0, 0, 0, 9, 4, 0, 0, 0, 3, 0, 0, 0, 7, 5, 0x81, 3, 8, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		cfg, err := uvc.ParseConfiguration(b)
		if err != nil {
			return
		}
		for i := range cfg.Video {
			profilesOf(modesOf(&cfg.Video[i], model.Product{Colored: true}), false)
		}
	})
}

func FuzzPayload(f *testing.F) {
	for _, color := range []bool{false, true} {
		blocks := model.ControlBlock(color, func(camdriver.MetadataKey) (int64, bool) { return 1, true })
		f.Add(uvc.Header{Info: uvc.HeaderEOF, PTS: 7, Rest: append(blocks, model.StatsBlock(7, 7, true)...)}.Encode())
	}
	f.Add([]byte{20, 0x8c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0x80, 8, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := uvc.ParseHeader(b)
		if err != nil {
			return
		}
		var m model.Metadata
		_ = m.Parse(h.Rest, h.PTS)
		if list := m.List(); len(list) > camdriver.MaxMetadata {
			t.Errorf("%d values", len(list))
		}
		var a assembly
		for range 3 {
			if whole, _ := a.add(h, b[h.Length:], 64); whole != nil && len(whole) != 64 {
				t.Errorf("frame of %d bytes", len(whole))
			}
		}
	})
}
