package d400

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/usbcam/d435i"
)

// monitor sends a hardware monitor command to a virtual camera.
func monitor(t testing.TB, o d435i.Options, op uint32, params ...uint32) []byte {
	t.Helper()
	b, err := askMonitor(t, o, op, params...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// askMonitor returns the reply of a camera that has just been plugged in.
func askMonitor(t testing.TB, o d435i.Options, op uint32, params ...uint32) ([]byte, error) {
	t.Helper()
	c := d435i.New(o)
	defer c.Unplug()
	command := model.Command{Op: op}
	copy(command.Params[:], params)
	request, err := command.Encode()
	if err != nil {
		t.Fatal(err)
	}
	set := d435i.Setup{RequestType: 0x21, Request: 1, Value: 0x0100, Index: 0x0300, Length: model.MonitorSize}
	if _, err := c.Control(set, request); err != nil {
		t.Fatal(err)
	}
	reply, err := c.Control(d435i.Setup{RequestType: 0xa1, Request: 0x81, Value: 0x0100, Index: 0x0300, Length: model.MonitorSize}, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := model.DecodeReply(op, reply)
	return bytes.Clone(data), err
}

func TestGVD(t *testing.T) {
	good := monitor(t, d435i.Options{Serial: serial, ASICSerial: asic}, model.OpGVD)
	got, err := parseGVD(good)
	want := gvd{
		Firmware: version{5, 15, 0, 100}, Serial: serialText, ASICSerial: "847913070822",
		Locked: true, AccelChip: model.ChipBMI055, HasRGB: true, HasIMU: true, GlobalShutter: true, Projector: true,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for chip, name := range map[uint8]string{model.ChipBMI055: "BMI055", model.ChipBMI085: "BMI085", model.ChipBMI088: "BMI088", 0xff: "BMI055"} {
		if got := (gvd{HasIMU: true, AccelChip: chip}).imuType(); got != name {
			t.Errorf("IMU type of chip %#02x is %s, want %s", chip, got, name)
		}
	}
	if got := (gvd{AccelChip: 0xff}).imuType(); got != "IMU_Unknown" {
		t.Errorf("IMU type without an IMU is %s", got)
	}
	if _, err := parseGVD(good[:gvdSize-1]); err == nil {
		t.Error("parseGVD accepted a short description")
	}
	if _, err := parseGVD(make([]byte, gvdSize)); err == nil {
		t.Error("parseGVD accepted a blank description")
	}
}

func TestHwmonReplies(t *testing.T) {
	reply := func(head int32, length uint32) []byte {
		b := make([]byte, model.MonitorSize)
		binary.LittleEndian.PutUint32(b, uint32(head))
		binary.LittleEndian.PutUint32(b[1020:], length)
		return b
	}
	if data, err := model.DecodeReply(model.OpGVD, reply(model.OpGVD, 8)); err != nil || len(data) != 8 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	var refusal *model.Refusal
	if _, err := model.DecodeReply(model.OpGVD, reply(-21, 0)); !errors.As(err, &refusal) || refusal.Code != -21 || refusal.Temporary() {
		t.Errorf("refusal: %v", err)
	}
	if _, err := model.DecodeReply(model.OpGVD, reply(model.OpGVD, 1017)); err == nil {
		t.Error("DecodeReply accepted too much data")
	}
	if _, err := model.DecodeReply(model.OpGVD, reply(model.OpGVD, 0)[:1000]); err == nil {
		t.Error("DecodeReply accepted a short reply")
	}
	if _, err := (model.Command{Data: make([]byte, 1001)}).Encode(); err == nil {
		t.Error("encode accepted too much data")
	}
}

func TestCalibrationTables(t *testing.T) {
	tables := d435i.Factory()
	b := monitor(t, d435i.Options{}, model.OpGetCalibration, model.TableDepth)
	stereo, err := parseStereo(b)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(stereo.baseline-tables.Baseline) > 1e-5 {
		t.Errorf("baseline %g, want %g", stereo.baseline, tables.Baseline)
	}
	modes := parseModes(monitor(t, d435i.Options{}, model.OpIntrinsics))
	full := tables.Rect[[2]int{1920, 1080}]
	wide := tables.Rect[[2]int{848, 480}]
	for _, test := range []struct {
		s    size
		want [4]float64 // fx, fy, ppx, ppy
	}{
		{size{848, 480}, wide},
		{size{424, 240}, tables.Rect[[2]int{424, 240}]}, // not among the modes
		{size{848, 100}, [4]float64{wide[0], wide[1], wide[2], wide[3] - 190}},
		{size{256, 144}, [4]float64{full[0], full[1], full[2] - 832, full[3] - 468}},
		{size{960, 540}, [4]float64{full[0] / 2, full[1] / 2, full[2] / 2, full[3] / 2}},
	} {
		in, err := stereo.intrinsics(test.s, modes)
		got := [4]float64{in.Fx, in.Fy, in.Ppx, in.Ppy}
		for i := range got {
			if err != nil || math.Abs(got[i]-test.want[i]) > 1e-3 {
				t.Errorf("%v: %v, want %v (%v)", test.s, got, test.want, err)
				break
			}
		}
	}
	b[40] ^= 1
	if _, err := parseStereo(b); err == nil {
		t.Error("parseStereo accepted a wrong CRC")
	}
	if _, err := parseColor(b); err == nil {
		t.Error("parseColor accepted the depth table")
	}
}

func TestColorIntrinsics(t *testing.T) {
	c, err := parseColor(monitor(t, d435i.Options{}, model.OpGetCalibration, model.TableColor))
	if err != nil {
		t.Fatal(err)
	}
	k := d435i.Factory().ColorK
	// 1280x720 has the calibration's aspect ratio; 640x480 is cropped at the sides.
	in := c.intrinsics(size{1280, 720})
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-3 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	check("fx", in.Fx, k[0]*640)
	check("fy", in.Fy, k[1]*360)
	check("ppx", in.Ppx, (1+k[2])*640)
	check("ppy", in.Ppy, (1+k[3])*360)
	narrow := c.intrinsics(size{640, 480})
	check("fy/fx of square pixels", narrow.Fy/narrow.Fx, in.Fy/in.Fx)
	check("fx of 480 rows", narrow.Fx, in.Fx*480/720)
	if in.Model != camdriver.InverseBrownConrady || math.Abs(in.Coeffs[0]+0.0555) > 1e-6 {
		t.Errorf("lens %s %v", in.Model, in.Coeffs)
	}
	// The three cases of the D405 agree where its sensor is not cropped.
	check("D405 fx", c.d405Intrinsics(size{1280, 720}).Fx, in.Fx)
	check("D405 fx of half the size", c.d405Intrinsics(size{640, 360}).Fx, in.Fx/2)
	check("D405 ppx of 640x480", c.d405Intrinsics(size{640, 480}).Ppx, 320+k[2]*385)
}

func TestMotionCalibration(t *testing.T) {
	c, err := parseIMU(monitor(t, d435i.Options{}, model.OpReadMotionTab, 0, 520))
	if err != nil || !c.hasPose {
		t.Fatal(err)
	}
	want := d435i.Factory()
	v := c.accel.correct([3]float64{1, 2, 3})
	for i := range v {
		sum := -want.AccelB[i]
		for j := range 3 {
			sum += want.AccelS[3*i+j] * float64(j+1)
		}
		if math.Abs(v[i]-sum) > 1e-5 {
			t.Errorf("accel[%d] is %g, want %g", i, v[i], sum)
		}
	}
	if got := c.gyro.intrinsics().Data[7]; math.Abs(float64(got)-want.GyroB[1]*math.Pi/180) > 1e-6 {
		t.Errorf("gyro bias %g", got)
	}
	ideal := imuCalibration{accel: idealMotion(), gyro: idealMotion()}
	damaged := monitor(t, d435i.Options{}, model.OpReadMotionTab, 0, 520)
	damaged[150] ^= 1
	for name, b := range map[string][]byte{
		"empty": bytes.Repeat([]byte{0xff}, 520), "damaged": damaged, "short": damaged[:100], "none": nil,
	} {
		if c, err := parseIMU(b); err == nil || c != ideal {
			t.Errorf("%s EEPROM: got %+v, %v", name, c, err)
		}
	}
}

// TestMotionBesideSDK has the acceleration that librealsense 2.56.5 reported for these
// counts and this sensitivity matrix, in the EEPROM's order.
func TestMotionBesideSDK(t *testing.T) {
	b := monitor(t, d435i.Options{}, model.OpReadMotionTab, 0, 520)
	for i, v := range []float32{1.01, 0.002, -0.001, 0.001, 0.99, 0.003, -0.002, 0.001, 1.02} {
		binary.LittleEndian.PutUint32(b[100+4*i:], math.Float32bits(v))
	}
	binary.LittleEndian.PutUint32(b[12:], crc32.ChecksumIEEE(b[16:]))
	c, err := parseIMU(b)
	if err != nil {
		t.Fatal(err)
	}
	got := c.accel.correct(imuSample{id: reportAccel, raw: [3]int32{-102, 204, -918}}.scaled())
	for i, want := range [3]float64{0.944277, 2.011554, 9.157556} {
		if math.Abs(got[i]-want) > 1e-6 {
			t.Errorf("acceleration %v differs from the SDK's %g in [%d]", got, want, i)
		}
	}
	if cross := c.accel.intrinsics().Data[1]; cross != 0.001 {
		t.Errorf("row 0, column 1 of the intrinsics is %g, want 0.001", cross)
	}
}

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
		var m metadata
		if err := m.parse(h.Rest, h.PTS); err != nil {
			t.Fatal(err)
		}
		for k, want := range test.want {
			if got, ok := m.get(k); !ok || got != want {
				t.Errorf("endpoint %#x: %s is %d (%v), want %d", test.endpoint, k, got, ok, want)
			}
		}
		for _, k := range []camdriver.MetadataKey{
			camdriver.MetaActualFps, camdriver.MetaInputWidth, camdriver.MetaInputHeight, camdriver.MetaPreset, camdriver.MetaSubPresetInfo,
		} {
			if v, ok := m.get(k); ok {
				t.Errorf("endpoint %#x: %s is %d, which the SDK doesn't read", test.endpoint, k, v)
			}
		}
		if got, _ := m.get(camdriver.MetaSensorTimestamp); got != int64(h.PTS)-d435i.MetaHalf {
			t.Errorf("sensor timestamp %d, PTS %d", got, h.PTS)
		}
	}
}

func TestMetadataTooLong(t *testing.T) {
	var m metadata
	if err := m.parse([]byte{1, 0, 0, 0x80, 200, 0, 0, 0, 0, 0, 0, 0}, 0); err == nil {
		t.Error("a block longer than the header was taken")
	}
}

func TestReports(t *testing.T) {
	short := make([]byte, reportShort)
	short[0] = reportAccel
	minus := int16(-1000)
	binary.LittleEndian.PutUint32(short[2:], 77)
	binary.LittleEndian.PutUint16(short[12:], uint16(minus))
	s, err := parseReport(short)
	if v := s.scaled(); err != nil || s.timestamp != 77 || math.Abs(v[1]+9.80665) > 1e-9 {
		t.Errorf("%+v gives %v, %v", s, v, err)
	}
	long := make([]byte, reportLong)
	long[0] = reportGyro
	binary.LittleEndian.PutUint32(long[10:], 1_800_000) // 180°/s
	s, err = parseReport(long)
	if v := s.scaled(); err != nil || math.Abs(v[0]+math.Pi) > 1e-9 {
		t.Errorf("%+v gives %v, %v", s, v, err)
	}
	if _, err := parseReport(long[:37]); err == nil {
		t.Error("a report of 37 bytes was taken")
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
			profilesOf(modesOf(&cfg.Video[i], product{colored: true}), false)
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
		var m metadata
		_ = m.parse(h.Rest, h.PTS)
		if list := m.list(); len(list) > camdriver.MaxMetadata {
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

func FuzzTables(f *testing.F) {
	f.Add(monitor(f, d435i.Options{}, model.OpGetCalibration, model.TableDepth))
	f.Add(monitor(f, d435i.Options{}, model.OpGetCalibration, model.TableColor))
	f.Add(monitor(f, d435i.Options{}, model.OpReadMotionTab, 0, 520))
	f.Add(monitor(f, d435i.Options{}, model.OpIntrinsics))
	f.Add(monitor(f, d435i.Options{}, model.OpGVD))
	f.Fuzz(func(t *testing.T, b []byte) {
		sealed := bytes.Clone(b)
		if len(sealed) >= 16 { // let it get past the checksum
			binary.LittleEndian.PutUint32(sealed[4:], uint32(len(sealed)-16))
			binary.LittleEndian.PutUint32(sealed[12:], crc32.ChecksumIEEE(sealed[16:]))
		}
		for _, b := range [][]byte{b, sealed} {
			if c, err := parseStereo(b); err == nil {
				_, _ = c.intrinsics(size{848, 480}, parseModes(b))
			}
			if c, err := parseColor(b); err == nil {
				c.intrinsics(size{640, 480})
				c.d405Intrinsics(size{640, 480})
			}
			_, _ = parseIMU(b)
			_, _ = parseGVD(b)
			_, _ = model.DecodeReply(model.OpGVD, b)
			_, _ = uvc.DecodeProbe(b)
			_, _ = parseReport(b)
			_, _ = parseFeature(b)
		}
	})
}
