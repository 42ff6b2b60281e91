package rstext

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/camdriver"
)

// TestPairs checks the SDK's rules, including characters that truncate a value.
func TestPairs(t *testing.T) {
	got := slices.Collect(Pairs("a=1;b=2=3;;c;d=;=e;a=4"))
	want := []Pair{{"a", "1"}, {"b", "2"}, {"c", ""}, {"d", ""}, {"", "e"}, {"a", "4"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if v, ok := find("a=1;a=2", "a"); v != "2" || !ok {
		t.Errorf("a twice: %q", v)
	}
	if s, changed := Clean(`{"a=b";1}`); s != `{"a:b",1}` || !changed {
		t.Errorf("cleaned %q", s)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		8500: "8500.000000", 0.00025: "0.000250", 1e-7: "0.0000001", 1700000000000.5: "1700000000000.500000",
		1.0 / 3: "0.3333333333333333", 38.400001525878906: "38.400001525878906", math.NaN(): "0.000000",
	} {
		if got := Number(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
	if got := Single(0.00025); got != "0.000250" {
		t.Errorf("single: %q", got)
	}
	for _, s := range []string{"", "nan", "inf", "1e400", "x"} {
		if v, err := ParseNumber(s); err == nil {
			t.Errorf("%q read as %g", s, v)
		}
	}
	// The SDK writes floats with 9 digits; more digits mean a double.
	if v, _ := intrinsic("38.4000015"); v != 38.400001525878906 {
		t.Errorf("read %v", v)
	}
	if v, _ := intrinsic("0.33333333333"); v != 0.33333333333 {
		t.Errorf("read %v", v)
	}
}

// TestThereAndBack checks that texts parse to the values that were written.
func TestThereAndBack(t *testing.T) {
	video := camdriver.Intrinsics{Width: 1280, Height: 720, Fx: 1.0 / 3, Fy: 38.400001525878906, Ppx: 640.25, Ppy: 1e-9,
		Model: camdriver.InverseBrownConrady, Coeffs: [5]float64{-0.1, 1e-8, 0, 3, 4}}
	if got, err := ParseIntrinsics(Intrinsics(video)); got != video || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	motion := camdriver.MotionIntrinsics{Data: [12]float32{1, 2, 1e-7, -4}, NoiseVariances: [3]float32{1e-9, 2, 3}, BiasVariances: [3]float32{4, 5, 6}}
	if got, err := ParseMotionIntrinsics(MotionIntrinsics(motion)); got != motion || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	ext := camdriver.Extrinsics{Rotation: [9]float64{1, 2, 3, 4, 5, 6, 7, 8, 1.0 / 3}, Translation: [3]float64{-0.05, 1e-10, 3}}
	if got, err := ParseExtrinsics(Extrinsics(ext)); got != ext || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if name, fps, err := ParseStreamInfo(StreamInfo(camdriver.Z16, 30)); name != "Z16" || fps != 30 || err != nil {
		t.Errorf("%s %d %v", name, fps, err)
	}
	n := camdriver.Notification{Time: time.UnixMilli(1795290000123), Category: camdriver.NotifyUnknownError, Severity: camdriver.SeverityNone, Description: "d", Data: `{"a":1}`}
	text, changed := Notification(n)
	if got, err := ParseNotification(text); got != n || err != nil || changed {
		t.Errorf("%+v, %v, from %q", got, err, text)
	}
	md := Metadata{Number: 7, Domain: camdriver.HardwareClock, System: time.Unix(1700000000, 123456789), Timestamp: 1700000000000.5, Units: 0.00025,
		Values: []camdriver.MetadataValue{{Key: camdriver.MetaFrameCounter, Value: -3}}}
	got, err := ParseMetadata(string(AppendMetadata(nil, md)))
	if err != nil || got.Number != md.Number || got.Domain != md.Domain || !got.System.Equal(md.System) ||
		got.Timestamp != md.Timestamp || got.Units != md.Units || !slices.Equal(got.Values, md.Values) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestIncomplete checks that errors name what is missing or isn't a number.
func TestIncomplete(t *testing.T) {
	for text, want := range map[string]string{
		"width=64;height=48;fx=1;fy=1;ppx=1;model=None;coeffs=0":       "ppy",
		"width=-1;height=48;fx=1;fy=1;ppx=1;ppy=1;model=None;coeffs=0": "width",
	} {
		if _, err := ParseIntrinsics(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ParseExtrinsics("rotation=1,2,3;translation=1,2,3"); err == nil {
		t.Error("a rotation of three numbers")
	}
	m, err := ParseMetadata("Frame number=5;timestamp=x;Gain Level=16;New Thing=1;")
	if err == nil || m.Number != 5 || len(m.Values) != 1 || !slices.Equal(m.Unknown, []string{"New Thing"}) {
		t.Errorf("%+v, %v", m, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Frame number=100;timestamp_domain=Hardware Clock;system_time=0.000000;timestamp=1700000000000.000000;depth_units=0.000250;Frame Counter=100;")
	f.Add("rotation=1,0,0,0,1,0,0,0,1;translation=0,0,0")
	f.Add("width=64;height=48;fx=38.4000015;ppx=32.25;fy=38.4384041;ppy=23.5;model=Brown Conrady;coeffs=0,0,0,0,0")
	f.Add("category=Hardware Event;severity=Warn;description=x;timestamp=1.79529e+12;data={}")
	f.Fuzz(func(t *testing.T, s string) {
		if m, err := ParseMetadata(s); err == nil {
			again, err := ParseMetadata(string(AppendMetadata(nil, m)))
			if err != nil || again.Number != m.Number || again.Timestamp != m.Timestamp {
				t.Errorf("%q: %+v, then %+v, %v", s, m, again, err)
			}
		}
		if in, err := ParseIntrinsics(s); err == nil {
			if _, err := ParseIntrinsics(Intrinsics(in)); err != nil {
				t.Errorf("%q: %v", s, err)
			}
		}
		ParseMotionIntrinsics(s)
		ParseExtrinsics(s)
		ParseStreamInfo(s)
		ParseNotification(s)
	})
}
