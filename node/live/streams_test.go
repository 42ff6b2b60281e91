package live

import (
	"errors"
	"strings"
	"testing"

	"rsros/camdriver"
)

func TestParseStreamSetting(t *testing.T) {
	for text, want := range map[string]StreamSetting{
		"848x480@30": {Width: 848, Height: 480, FPS: 30},
		"848x480":    {Width: 848, Height: 480},
		"@60":        {FPS: 60},
		"200":        {FPS: 200},
		"off":        {Off: true},
		"FALSE":      {Off: true},
		"on":         {},
		"":           {},
	} {
		got, err := ParseStreamSetting(text)
		if err != nil || got != want {
			t.Errorf("ParseStreamSetting(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{"848x", "x480@30", "848x480@", "848x480@0", "-1", "0", "a", "848*480", "1x1@x"} {
		if got, err := ParseStreamSetting(bad); err == nil {
			t.Errorf("ParseStreamSetting(%q) = %+v, want an error", bad, got)
		}
	}
}

// fakeSensor offers profiles and does nothing else.
type fakeSensor struct {
	camdriver.Sensor
	profiles []camdriver.Profile
}

func (s fakeSensor) Profiles() []camdriver.Profile { return s.profiles }

func fakeSensors() []camdriver.Sensor {
	depth := camdriver.DepthStream
	left := camdriver.LeftStream
	gyro := camdriver.GyroStream
	video := func(id camdriver.StreamID, f camdriver.Format) []camdriver.Profile {
		return []camdriver.Profile{
			{Stream: id, Format: f, Width: 1280, Height: 720, FPS: 30},
			{Stream: id, Format: f, Width: 848, Height: 480, FPS: 30, Default: true},
			{Stream: id, Format: f, Width: 848, Height: 480, FPS: 90},
		}
	}
	return []camdriver.Sensor{
		fakeSensor{profiles: append(video(depth, camdriver.Z16), video(left, camdriver.Y8)...)},
		fakeSensor{profiles: []camdriver.Profile{{Stream: gyro, FPS: 200, Default: true}, {Stream: gyro, FPS: 400}}},
	}
}

func TestChooseProfiles(t *testing.T) {
	depth := camdriver.DepthStream
	left := camdriver.LeftStream
	gyro := camdriver.GyroStream
	color := camdriver.ColorStream
	off := StreamSetting{Off: true}
	for name, c := range map[string]struct {
		settings StreamSettings
		want     string // profiles in order
		err      error
	}{
		"nothing said: the device's defaults": {nil, "Depth_0 Z16 848x480@30, Infrared_1 Y8 848x480@30, Gyro_0 ANY @200", nil},
		"infrared follows depth":              {StreamSettings{depth: {Width: 1280, Height: 720}}, "Depth_0 Z16 1280x720@30, Infrared_1 Y8 1280x720@30, Gyro_0 ANY @200", nil},
		"rate only":                           {StreamSettings{depth: {FPS: 90}, left: off}, "Depth_0 Z16 848x480@90, Gyro_0 ANY @200", nil},
		"inertial rate":                       {StreamSettings{depth: off, left: off, gyro: {FPS: 400}}, "Gyro_0 ANY @400", nil},
		"a profile it lacks":                  {StreamSettings{depth: {Width: 640, Height: 480}}, "", camdriver.ErrUnsupported},
		"a stream it lacks":                   {StreamSettings{color: {}}, "", camdriver.ErrNotFound},
		"a stream it lacks, off":              {StreamSettings{color: off, left: off, gyro: off}, "Depth_0 Z16 848x480@30", nil},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, err := c.settings.Choose(fakeSensors())
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			var got []string
			for _, list := range chosen {
				for _, p := range list {
					got = append(got, p.String())
				}
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("chose %s\n want %s", s, c.want)
			}
		})
	}
	_, err := StreamSettings{depth: {FPS: 7}, gyro: {FPS: 9}, color: {}}.Choose(fakeSensors())
	for _, want := range []string{"Depth_0 can't run as @7", "Gyro_0 can't run as @9: not supported; the nearest is @200; it offers\n  @200, @400\n", "stream Color_0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := (StreamSettings{depth: {Width: 1, Height: 1}}).Choose(fakeSensors()); err == nil || strings.Contains(err.Error(), "Infrared") {
		t.Errorf("only depth was set: %v", err)
	}
	if _, err := (StreamSettings{depth: off, left: off, gyro: off}).Choose(fakeSensors()); err == nil {
		t.Error("a node with every stream off was accepted")
	}
}
