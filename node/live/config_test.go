package live

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/node/naming"
	"rsros/node/settings"
	"rsros/program"
	"rsros/record"
	"rsros/ros/graph"
	"rsros/test/need"
)

func TestFlagsWinOverParameters(t *testing.T) {
	depth, color := camdriver.DepthStream, camdriver.ColorStream
	left := camdriver.LeftStream
	p := graph.Params{
		"device": "usb", "serial_no": "_0123", "naming": "sdk", "camera": "front",
		"depth_width": 640, "depth_height": 480, "depth_fps": 30, "color_width": -1, "color_height": 0,
		"enable_color": true, "enable_infra1": false, "gyro_fps": 400.0, "record_path": "/data/",
	}
	o := Options{Source: SourceOptions{Device: "sim"}, Streams: StreamSettings{depth: {FPS: 90}}}
	need.Must(t, o.fill(p))
	settings.Live.Complete(o.Given, &o)
	if o.Source.Device != "sim" || o.Source.Serial != "0123" || o.Naming != naming.SDK || o.Camera != "front" || o.RecordPath != "/data/" {
		t.Errorf("options %+v", o)
	}
	want := StreamSettings{depth: {FPS: 90}, color: {}, left: {Off: true}, {Kind: camdriver.Gyro}: {FPS: 400}}
	for id, want := range want {
		if got := o.Streams[id]; got != want {
			t.Errorf("%v: %+v, want %+v", id, got, want)
		}
	}
	if _, set := o.Streams[camdriver.AccelStream]; set {
		t.Error("accel was never mentioned")
	}
}

// A parameter counts before a file of settings, for profiles and the folder of recordings, too.
func TestParametersWinOverFile(t *testing.T) {
	depth, color := camdriver.DepthStream, camdriver.ColorStream
	o := Options{
		Streams: StreamSettings{depth: {FPS: 90}, color: {FPS: 60}}, Record: "walk.bag",
		Given: settings.Given{"depth": settings.FromFile, "color": settings.FromFile, "record": settings.FromFile},
	}
	p := graph.Params{"depth_fps": 30, "record": "/elsewhere/walk.bag"}
	if err := o.checkRemotePaths(p); err == nil {
		t.Error("the parameter server replaced the file's path with one elsewhere")
	}
	need.Must(t, o.fill(p))
	if o.Streams[depth].FPS != 30 || o.Streams[color].FPS != 60 || o.Record != "/elsewhere/walk.bag" {
		t.Errorf("%+v %s", o.Streams, o.Record)
	}
}

// A launch file's parameters equal flags for a recording; -1, 0 and "" leave the default.
func TestRecordingParameters(t *testing.T) {
	p := graph.Params{
		"record": "walk.bag", "split_size": "100M", "split_duration": "5m", "buffsize": 64, "chunksize": 256, "lz4": true, "direct": true,
		"duration": 2.5, "rate": 0.5, "loop": true, "pause": true, "seed": 7, "enable_pose": true, "topics": "/odom, /map",
	}
	o := Options{Recording: record.Options{MaxSize: 1}}
	need.Must(t, o.fill(p))
	want := record.Options{
		Topics:     []string{"/odom", "/map"},
		Bag:        bagstore.Options{Compression: bagstore.LZ4, Sink: bagstore.Direct, ChunkSize: 256 << 10},
		QueueBytes: 64 << 20, MaxSize: 1, MaxTime: 5 * time.Minute,
	}
	if !reflect.DeepEqual(o.Recording, want) || o.Record != "walk.bag" || o.Duration != 2500*time.Millisecond {
		t.Errorf("recording %+v for %v", o.Recording, o.Duration)
	}
	if s := o.Source; s.Speed != 0.5 || !s.Loop || !s.Paused || !s.Pose || s.Seed != 7 {
		t.Errorf("source %+v", s)
	}
	o = Options{}
	need.Must(t, o.fill(graph.Params{"split_size": -1, "split_duration": "", "duration": 0, "rate": -1.0, "lz4": false}))
	if !reflect.DeepEqual(o.Recording, record.Options{}) || o.Duration != 0 || o.Source.Speed != 0 {
		t.Errorf("nothing was said: %+v", o)
	}
}

func TestOddParametersAreRefused(t *testing.T) {
	for name, p := range map[string]graph.Params{
		"naming":      {"naming": "rviz"},
		"half a size": {"depth_width": 640},
		"other half":  {"infra_height": 480},
		"a time":      {"split_duration": "soon"},
		"both ways":   {"direct": true, "buffered": true},
	} {
		var o Options
		if err := o.fill(p); !errors.Is(err, program.ErrUsage) {
			t.Errorf("%s: %v, want wrong usage", name, err)
		}
	}
}

// A parameter of the wrong type is refused by name; unset ones are not.
func TestWrongTypesAreNamed(t *testing.T) {
	for want, p := range map[string]graph.Params{
		`parameter ~gyro_fps: want a number, not "abc"`:            {"gyro_fps": "abc"},
		`parameter ~split_size: "big": want a size such as 512M`:   {"split_size": "big"},
		`parameter ~enable_depth: want true or false, not "maybe"`: {"enable_depth": "maybe"},
		`parameter ~publish_tf: want true or false, not 1`:         {"publish_tf": 1},
		`parameter ~lz4: want true or false, not 2`:                {"lz4": 2},
		`parameter ~camera: want text, not true`:                   {"camera": true},
		`parameter ~duration: want a number, not [1]`:              {"duration": []any{1}},
		`parameter ~clip_distance: want a number, not NaN`:         {"clip_distance": math.NaN()},
		`parameter ~infra_fps: want a number, not "fast"`:          {"infra_fps": "fast"}, // of two streams
	} {
		var o Options
		err := o.fill(p)
		if !errors.Is(err, program.ErrUsage) || strings.Count(err.Error(), want) != 1 {
			t.Errorf("%v: %v, want %s", p, err, want)
		}
	}
	var o Options
	unset := graph.Params{"loop": "", "gyro_fps": "", "serial_no": 12, "camera": map[string]any{"gain": 1}, "seed": nil, "rate": -1}
	if err := o.fill(unset); err != nil || o.Source.Serial != "12" || o.Camera != "" {
		t.Errorf("%+v, %v", o, err)
	}
	err := o.fill(graph.Params{"gyro_fps": "abc", "lz4": "x"})
	if err == nil || !strings.Contains(err.Error(), "~gyro_fps") || !strings.Contains(err.Error(), "~lz4") {
		t.Errorf("%v, want both", err)
	}
}

func TestMissingDeviceSaysWhatWasLookedFor(t *testing.T) {
	for device, word := range map[string]string{"": "--device", "no/such/file.bag": "no/such/file.bag"} {
		_, err := OpenSource(t.Context(), SourceOptions{Device: device})
		if !errors.Is(err, program.ErrNoDevice) {
			t.Errorf("device %q: %v, want ErrNoDevice", device, err)
			continue
		}
		if !strings.Contains(err.Error(), word) {
			t.Errorf("device %q: %q doesn't name %q", device, err, word)
		}
	}
}

// A flag takes precedence over a launch file's parameter.
func TestPoseFlagTakesPrecedence(t *testing.T) {
	o := Options{Source: SourceOptions{Pose: true}}
	need.Must(t, o.fill(graph.Params{"enable_pose": false}))
	if set, said := o.Streams[camdriver.PoseStream]; said {
		t.Errorf("poses are %s", set)
	}
}

func TestUnusedParametersAreNamed(t *testing.T) {
	var out strings.Builder
	warnUnused(zerolog.New(&out), graph.Params{
		"external_manager": true, "manager": "realsense2_camera_manager", "json_file_path": "", "reconnect_timeout": 6.0,
		"stereo_module": map[string]any{"exposure": map[string]any{"1": 7500, "2": 99}},
	})
	if text := out.String(); strings.Count(text, "has no effect") != 2 || !strings.Contains(text, "~external_manager") || !strings.Contains(text, "~stereo_module/exposure/2") {
		t.Errorf("log:\n%s", text)
	}
}

// A recording is selected by its name, and offers only the streams it has.
func TestParametersOfRecording(t *testing.T) {
	var out strings.Builder
	p := graph.Params{"rosbag_filename": "walk.bag", "serial_no": "_1", "usb_port_id": "", "enable_fisheye": true, "fisheye_fps": 15}
	warnUnused(zerolog.New(&out), p)
	var chosen Options
	need.Must(t, chosen.fill(p))
	warnOfSelectors(zerolog.New(&out), chosen.Source)
	if text := out.String(); strings.Count(text, "has no effect") != 1 || !strings.Contains(text, "~serial_no") {
		t.Errorf("log:\n%s", text)
	}
	for fps, want := range map[int]bool{0: false, 15: true} {
		var o Options
		p["fisheye_fps"] = fps
		need.Must(t, o.fill(p))
		if _, set := o.Streams[camdriver.StreamID{Kind: camdriver.Fisheye}]; set != want {
			t.Errorf("%d: %v", fps, o.Streams)
		}
	}
}

// A simulated camera has a serial number, but no port and no name to search for.
func TestSelectorsOfDevices(t *testing.T) {
	all := SourceOptions{Serial: "111", Port: "2-1", Type: "d455"}
	for device, want := range map[string][]string{"sim": {"~usb_port_id", "~device_type"}, "walk.bag": {"~serial_no", "~usb_port_id", "~device_type"}, "usb": nil} {
		var out strings.Builder
		all.Device = device
		warnOfSelectors(zerolog.New(&out), all)
		for _, name := range want {
			if !strings.Contains(out.String(), name) {
				t.Errorf("%s: no warning of %s", device, name)
			}
		}
		if n := strings.Count(out.String(), "has no effect"); n != len(want) {
			t.Errorf("%s: %d warnings:\n%s", device, n, out.String())
		}
	}
}

// A number below 0 is a value where the flag takes one.
func TestNegativeNumber(t *testing.T) {
	var o Options
	if err := o.fill(graph.Params{"clock_drift": -15}); err != nil || o.Source.Drift != -15 {
		t.Errorf("drift %v, %v", o.Source.Drift, err)
	}
}

// The parameters of rs_camera.launch, as roslaunch sets them.
func TestWrapperParameters(t *testing.T) {
	var o Options
	err := o.fill(graph.Params{
		"camera": "/eye", "tf_prefix": "left", "align_depth": true, "filters": "spatial, temporal", "clip_distance": 3.5, "unite_imu_method": "copy",
		"pointcloud_texture_stream": "RS2_STREAM_INFRARED", "pointcloud_texture_index": 1, "publish_tf": false, "linear_accel_cov": 0.5,
		"enable_infra": false, "enable_infra1": true, "infra_width": 848, "infra_height": 480, "infra_fps": 30,
	})
	w := o.Wrapper
	if err != nil || o.Camera != "/eye" || w.Frames != "left" || !w.AlignDepth || len(w.Filters) != 2 || w.Clip != 3.5 || w.UniteIMU != process.UniteCopy ||
		w.Texture != camdriver.LeftStream || !w.NoTF || w.AccelCovariance != 0.5 {
		t.Errorf("%+v, %v", w, err)
	}
	if left := o.Streams[camdriver.LeftStream]; left != (StreamSetting{Width: 848, Height: 480, FPS: 30}) {
		t.Errorf("left infrared %+v", left)
	}
	for name, value := range map[string]string{"filters": "sharpen", "unite_imu_method": "Copy", "pointcloud_texture_stream": "COLOR"} {
		var o Options
		if err := o.fill(graph.Params{name: value}); !errors.Is(err, program.ErrUsage) {
			t.Errorf("%s %q: %v", name, value, err)
		}
	}
}
