package model_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/test/need"
	"rsros/test/usbvm/trace"
	"rsros/usbcam/d435i"
)

// recorded returns the answer to a command of the hardware monitor that was recorded with librealsense.
func recorded(t testing.TB, op uint32, params ...uint32) []byte {
	t.Helper()
	list, err := trace.Read("../../usbcam/d435i/testdata/librealsense-2.56.txt")
	need.Must(t, err)
	c := model.Command{Op: op}
	copy(c.Params[:], params)
	request, err := c.Encode()
	need.Must(t, err)
	for i, e := range list[:len(list)-1] {
		if bytes.Equal(e.Out, request) {
			if b, err := model.DecodeReply(op, list[i+1].In); err == nil {
				return bytes.Clone(b)
			}
		}
	}
	t.Fatalf("command %#x with %v isn't recorded", op, params)
	return nil
}

func TestGVD(t *testing.T) {
	good := recorded(t, model.OpGVD)
	got, err := model.ParseGVD(good)
	want := model.GVD{
		Firmware: model.Version{5, 15, 0, 100}, Serial: model.SerialNumber{0x84, 0x39, 0x22, 0x07, 0x11, 0x05}, ASICSerial: model.SerialNumber{0x84, 0x79, 0x13, 0x07, 0x08, 0x22},
		Locked: true, AccelChip: model.ChipBMI055, HasRGB: true, HasIMU: true, GlobalShutter: true, Projector: true,
	}
	if encoded := want.Encode(); err != nil || got != want || got.Serial.String() != "843922071105" || !bytes.Equal(encoded, good) {
		t.Errorf("got %+v, %v", got, err)
	}
	for chip, name := range map[uint8]string{model.ChipBMI055: "BMI055", model.ChipBMI085: "BMI085", model.ChipBMI088: "BMI088", 0xff: "BMI055"} {
		if got := (model.GVD{HasIMU: true, AccelChip: chip}).IMUType(); got != name {
			t.Errorf("IMU type of chip %#02x is %s, want %s", chip, got, name)
		}
	}
	if got := (model.GVD{AccelChip: 0xff}).IMUType(); got != "IMU_Unknown" {
		t.Errorf("IMU type without an IMU is %s", got)
	}
	if _, err := model.ParseGVD(good[:model.GVDSize-1]); err == nil {
		t.Error("ParseGVD accepted a short description")
	}
	if _, err := model.ParseGVD(make([]byte, model.GVDSize)); err == nil {
		t.Error("ParseGVD accepted a blank description")
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

func TestDepthTable(t *testing.T) {
	b := recorded(t, model.OpGetCalibration, model.TableDepth)
	table, err := model.ParseDepthTable(b)
	need.Must(t, err)
	factory := d435i.Factory().Depth
	if !bytes.Equal(factory.Encode(), b) || math.Abs(table.Baseline+49.95) > 1e-5 {
		t.Errorf("baseline %g; encoded % x, want % x", table.Baseline, factory.Encode(), b)
	}
	modes := model.ParseModes(recorded(t, model.OpIntrinsics))
	if len(modes) == 0 || !bytes.Equal(factory.Modes(), recorded(t, model.OpIntrinsics)) {
		t.Errorf("modes %v", modes)
	}
	for _, test := range []struct {
		s    model.ImageSize
		want model.Pinhole
	}{
		{model.ImageSize{848, 480}, model.Pinhole{Fx: 422, Fy: 422, Ppx: 425.4, Ppy: 239.1}},
		{model.ImageSize{424, 240}, model.Pinhole{Fx: 211, Fy: 211, Ppx: 212.7, Ppy: 119.6}}, // not among the modes
		{model.ImageSize{848, 100}, model.Pinhole{Fx: 422, Fy: 422, Ppx: 425.4, Ppy: 239.1 - 190}},
		{model.ImageSize{256, 144}, model.Pinhole{Fx: 955.5, Fy: 955.5, Ppx: 963.2 - 832, Ppy: 538.1 - 468}},
		{model.ImageSize{960, 540}, model.Pinhole{Fx: 955.5 / 2, Fy: 955.5 / 2, Ppx: 963.2 / 2, Ppy: 538.1 / 2}},
	} {
		in, err := table.Intrinsics(test.s, modes)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-3 }
		if err != nil || !near(in.Fx, test.want.Fx) || !near(in.Fy, test.want.Fy) || !near(in.Ppx, test.want.Ppx) || !near(in.Ppy, test.want.Ppy) {
			t.Errorf("%v: %v, want %v (%v)", test.s, in, test.want, err)
		}
	}
	b[40] ^= 1
	if _, err := model.ParseDepthTable(b); err == nil {
		t.Error("ParseDepthTable accepted a wrong CRC")
	}
	if _, err := model.ParseColorTable(recorded(t, model.OpGetCalibration, model.TableDepth)); err == nil {
		t.Error("ParseColorTable accepted the depth table")
	}
}

func TestColorTable(t *testing.T) {
	b := recorded(t, model.OpGetCalibration, model.TableColor)
	c, err := model.ParseColorTable(b)
	if err != nil || !c.HasPose {
		t.Fatal(err)
	}
	factory := d435i.Factory().Color
	if !bytes.Equal(factory.Encode(), b) {
		t.Errorf("encoded as % x, want % x", factory.Encode(), b)
	}
	// 1280x720 has the calibration's aspect ratio; 640x480 is cropped at the sides.
	in := c.Intrinsics(model.ImageSize{1280, 720})
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-3 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	check("fx", in.Fx, 1.4265625*640)
	check("fy", in.Fy, 2.5354167*360)
	check("ppx", in.Ppx, (1+0.0098437)*640)
	check("ppy", in.Ppy, (1+0.0051389)*360)
	narrow := c.Intrinsics(model.ImageSize{640, 480})
	check("fy/fx of square pixels", narrow.Fy/narrow.Fx, in.Fy/in.Fx)
	check("fx of 480 rows", narrow.Fx, in.Fx*480/720)
	if in.Model != camdriver.InverseBrownConrady || math.Abs(in.Coeffs[0]+0.0555) > 1e-6 {
		t.Errorf("lens %s %v", in.Model, in.Coeffs)
	}
	// The three cases of the D405 agree where its sensor is not cropped.
	check("D405 fx", c.D405Intrinsics(model.ImageSize{1280, 720}).Fx, in.Fx)
	check("D405 fx of half the size", c.D405Intrinsics(model.ImageSize{640, 360}).Fx, in.Fx/2)
	check("D405 ppx of 640x480", c.D405Intrinsics(model.ImageSize{640, 480}).Ppx, 320+0.0098437*385)
	c.SetIntrinsics(in)
	check("fx of the same size", c.Intrinsics(model.ImageSize{1280, 720}).Fx, in.Fx)
	check("ppy of the same size", c.Intrinsics(model.ImageSize{1280, 720}).Ppy, in.Ppy)
}

func TestMotionTable(t *testing.T) {
	b := recorded(t, model.OpReadMotionTab, 0, 520)
	c, err := model.ParseMotionTable(b)
	if err != nil || !c.HasPose {
		t.Fatal(err)
	}
	factory := d435i.Factory().Motion
	if !bytes.Equal(factory.Encode(), b) {
		t.Errorf("encoded as % x, want % x", factory.Encode(), b)
	}
	if v := c.Accel.Apply([3]float64{1, 2, 3}); math.Abs(v[0]-(1.01+0.004-0.003-0.05)) > 1e-5 {
		t.Errorf("accel %v", v)
	}
	if got := c.Gyro.Intrinsics().Data[7]; math.Abs(float64(got)+0.2*math.Pi/180) > 1e-6 {
		t.Errorf("gyro bias %g", got)
	}
	ideal := model.MotionTable{Accel: model.NoCorrection, Gyro: model.NoCorrection}
	damaged := bytes.Clone(b)
	damaged[150] ^= 1
	for name, b := range map[string][]byte{
		"empty": bytes.Repeat([]byte{0xff}, 520), "damaged": damaged, "short": damaged[:100], "none": nil,
	} {
		if c, err := model.ParseMotionTable(b); err == nil || c != ideal {
			t.Errorf("%s EEPROM: got %+v, %v", name, c, err)
		}
	}
}

// TestMotionBesideSDK has the acceleration that librealsense 2.56.5 reported for these
// counts and this sensitivity matrix, in the EEPROM's order.
func TestMotionBesideSDK(t *testing.T) {
	b := recorded(t, model.OpReadMotionTab, 0, 520)
	for i, v := range []float32{1.01, 0.002, -0.001, 0.001, 0.99, 0.003, -0.002, 0.001, 1.02} {
		binary.LittleEndian.PutUint32(b[100+4*i:], math.Float32bits(v))
	}
	binary.LittleEndian.PutUint32(b[12:], crc32.ChecksumIEEE(b[16:]))
	c, err := model.ParseMotionTable(b)
	need.Must(t, err)
	got := c.Accel.Apply(model.Report{ID: model.ReportAccel, Counts: [3]int32{-102, 204, -918}}.Value())
	for i, want := range [3]float64{0.944277, 2.011554, 9.157556} {
		if math.Abs(got[i]-want) > 1e-6 {
			t.Errorf("acceleration %v differs from the SDK's %g in [%d]", got, want, i)
		}
	}
	if cross := c.Accel.Intrinsics().Data[1]; cross != 0.001 {
		t.Errorf("row 0, column 1 of the intrinsics is %g, want 0.001", cross)
	}
}

func TestReports(t *testing.T) {
	short := make([]byte, model.ReportSize)
	short[0] = model.ReportAccel
	minus := int16(-1000)
	binary.LittleEndian.PutUint32(short[2:], 77)
	binary.LittleEndian.PutUint16(short[12:], uint16(minus))
	s, err := model.ParseReport(short)
	if v := s.Value(); err != nil || s.Time != 77 || math.Abs(v[1]+9.80665) > 1e-9 {
		t.Errorf("%+v gives %v, %v", s, v, err)
	}
	long := make([]byte, model.WideReportSize)
	long[0] = model.ReportGyro
	binary.LittleEndian.PutUint32(long[10:], 1_800_000) // 180°/s
	s, err = model.ParseReport(long)
	if v := s.Value(); err != nil || math.Abs(v[0]+math.Pi) > 1e-9 {
		t.Errorf("%+v gives %v, %v", s, v, err)
	}
	if _, err := model.ParseReport(long[:37]); err == nil {
		t.Error("a report of 37 bytes was taken")
	}
}

func FuzzTables(f *testing.F) {
	f.Add(recorded(f, model.OpGetCalibration, model.TableDepth))
	f.Add(recorded(f, model.OpGetCalibration, model.TableColor))
	f.Add(recorded(f, model.OpReadMotionTab, 0, 520))
	f.Add(recorded(f, model.OpIntrinsics))
	f.Add(recorded(f, model.OpGVD))
	f.Fuzz(func(t *testing.T, b []byte) {
		sealed := bytes.Clone(b)
		if len(sealed) >= 16 { // let it get past the checksum
			binary.LittleEndian.PutUint32(sealed[4:], uint32(len(sealed)-16))
			binary.LittleEndian.PutUint32(sealed[12:], crc32.ChecksumIEEE(sealed[16:]))
		}
		for _, b := range [][]byte{b, sealed} {
			if c, err := model.ParseDepthTable(b); err == nil {
				_, _ = c.Intrinsics(model.ImageSize{848, 480}, model.ParseModes(b))
			}
			if c, err := model.ParseColorTable(b); err == nil {
				c.Intrinsics(model.ImageSize{640, 480})
				c.D405Intrinsics(model.ImageSize{640, 480})
			}
			_, _ = model.ParseMotionTable(b)
			_, _ = model.ParseGVD(b)
			_, _ = model.DecodeReply(model.OpGVD, b)
			_, _ = model.ParseReport(b)
			_, _ = model.ParseFeature(b)
			if s, ok := model.ParseSequence(b); ok {
				if again, ok := model.ParseSequence(s.Encode()); !ok || again.ID != s.ID || len(again.Frames) != len(s.Frames) {
					t.Errorf("%v is parsed as %v", s, again)
				}
			}
		}
	})
}
