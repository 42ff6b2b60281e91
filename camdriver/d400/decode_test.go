package d400

import (
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/usbcam/d435i"
)

// payloadOf reads a transfer from a virtual camera.
func payloadOf(t testing.TB, endpoint uint8) []byte {
	t.Helper()
	c := d435i.New(d435i.Options{})
	defer c.Unplug()
	iface := map[uint8]uint16{0x82: 1, 0x84: 4}[endpoint]
	probe, err := c.Control(d435i.Setup{RequestType: 0xa1, Request: uvc.GetMax, Value: 0x0100, Index: iface, Length: 48}, nil)
	for _, selector := range []uint16{0x0100, 0x0200} {
		if err == nil {
			_, err = c.Control(d435i.Setup{RequestType: 0x21, Request: 1, Value: selector, Index: iface, Length: 48}, probe)
		}
	}
	if err == nil {
		_, err = c.Control(d435i.Setup{RequestType: 2, Request: 1, Index: uint16(endpoint)}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Read(t.Context(), endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMetadata(t *testing.T) {
	for _, test := range []struct {
		endpoint uint8
		want     map[camdriver.MetadataKey]int64
	}{
		{0x82, map[camdriver.MetadataKey]int64{
			camdriver.MetaFrameCounter: 1, camdriver.MetaActualExposure: d435i.MetaExposure,
			camdriver.MetaGainLevel: d435i.MetaGain, camdriver.MetaFrameLaserPower: d435i.MetaLaserPower,
			camdriver.MetaExposureRoiRight: 255, camdriver.MetaExposureRoiBottom: 143,
			camdriver.MetaFrameEmitterMode: 1, camdriver.MetaFrameLaserPowerMode: 1,
			camdriver.MetaWhiteBalance: d435i.MetaWhite,
		}},
		{0x84, map[camdriver.MetadataKey]int64{
			camdriver.MetaFrameCounter: 1, camdriver.MetaActualExposure: d435i.MetaColorUnits,
			camdriver.MetaBrightness: d435i.MetaBrightness, camdriver.MetaAutoExposure: 1,
			camdriver.MetaAutoWhiteBalanceTemperature: d435i.MetaTemperature, camdriver.MetaGainLevel: d435i.MetaColorGain,
			camdriver.MetaManualWhiteBalance: d435i.MetaWhite, camdriver.MetaPowerLineFrequency: 3, camdriver.MetaGamma: 300,
		}},
	} {
		h, err := uvc.ParseHeader(payloadOf(t, test.endpoint))
		if err != nil {
			t.Fatal(err)
		}
		var m model.Metadata
		if err := m.Parse(h.Rest, h.PTS); err != nil {
			t.Fatal(err)
		}
		for k, want := range test.want {
			if got, ok := m.Get(k); !ok || got != want {
				t.Errorf("endpoint %#x: %s is %d (%v), want %d", test.endpoint, k, got, ok, want)
			}
		}
		for _, k := range []camdriver.MetadataKey{
			camdriver.MetaActualFps, camdriver.MetaInputWidth, camdriver.MetaInputHeight, camdriver.MetaPreset, camdriver.MetaSubPresetInfo,
		} {
			if v, ok := m.Get(k); ok {
				t.Errorf("endpoint %#x: %s is %d, which the SDK doesn't read", test.endpoint, k, v)
			}
		}
		if got, _ := m.Get(camdriver.MetaSensorTimestamp); got != int64(h.PTS)-d435i.MetaHalf {
			t.Errorf("sensor timestamp %d, PTS %d", got, h.PTS)
		}
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
	f.Add(payloadOf(f, 0x82)[:300])
	f.Add(payloadOf(f, 0x84)[:300])
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
