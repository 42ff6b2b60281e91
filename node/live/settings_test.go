package live

import (
	"reflect"
	"strings"
	"testing"

	"rsros/camdriver"
	"rsros/node/naming"
	"rsros/node/settings"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
)

// Every stream can be turned on and off by its flag, by its parameters and by both.
func TestPrecedenceOfStreams(t *testing.T) {
	off, profile := StreamSetting{Off: true}, StreamSetting{Width: 640, Height: 480, FPS: 15}
	for _, f := range settings.Live.Fields(new(StreamSettings)) {
		id := streamIDs[f.Name()]
		params := map[string]graph.Params{
			"unset": nil, "off": {f.Params[0]: false},
			"on": {f.Params[0]: true, f.Params[1]: 640, f.Params[2]: 480, f.Params[3]: 15},
		}
		for flag, fromFlag := range map[string]*StreamSetting{"unset": nil, "off": &off, "on": {}, "@30": {FPS: 30}} {
			for param, values := range params {
				var o Options
				want := fromFlag
				switch {
				case flag != "unset":
					for _, own := range settings.Live.Fields(&o.Streams) {
						if own.Name() == f.Name() {
							need.Must(t, own.Set(flag))
						}
					}
				case param == "off":
					want = &off
				case param == "on" && !optional(id):
					want = &profile
				}
				list, err := o.each(values, nil)
				need.Must(t, err)
				got, set := list[0].Streams[id]
				if set != (want != nil) || set && got != *want {
					t.Errorf("%s: flag %s, parameter %s: %v (%t), want %v", f.Name(), flag, param, got, set, want)
				}
			}
		}
	}
}

// Parameters of one camera take precedence over those of all cameras, also with zero values.
func TestPrecedenceOfCameras(t *testing.T) {
	o := Options{Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"front", "rear"}}
	for _, own := range []graph.Params{
		{"align_depth": false}, {"lz4": false}, {"split_size": 0}, {"publish_tf": true}, {"filters": "spatial"}, {"clip_distance": -1},
	} {
		all := graph.Params{"align_depth": true, "lz4": true, "split_size": "7M", "publish_tf": false, "filters": "temporal", "clip_distance": 2.5}
		both := graph.Params{"front": own}
		alone := graph.Params{}
		for name, value := range all {
			both[name], alone[name] = value, value
		}
		for name, value := range own {
			alone[name] = value
		}
		got, err := o.each(nil, both)
		need.Must(t, err)
		want, err := o.each(nil, alone)
		need.Must(t, err)
		rear, err := o.each(nil, all)
		need.Must(t, err)
		if !sameSettings(got[0], want[0]) || !sameSettings(got[1], rear[1]) {
			t.Errorf("%v: front %+v\nrear %+v", own, got[0], got[1])
		}
	}
}

func sameSettings(a, b Options) bool {
	a.Given, b.Given = nil, nil
	return reflect.DeepEqual(a, b)
}

// live --align-depth=false _align_depth:=true publishes no aligned depth.
func TestFlagTurnsOffParameter(t *testing.T) {
	aligned := func(given settings.Given) bool {
		live, _ := startTestLive(t, Options{Naming: naming.Wrapper, Given: given, ROS: ros.Config{PrivateParams: graph.Params{"align_depth": true}}})
		for _, p := range live.node.Publications() {
			if strings.Contains(p.Topic, "aligned_depth_to_color") {
				return true
			}
		}
		return false
	}
	if !aligned(nil) || aligned(settings.Given{"align-depth": settings.Flag}) {
		t.Error("the flag doesn't take precedence")
	}
}

// --pose=false turns off a recording's poses, too.
func TestPoseFlagTurnsOffPoses(t *testing.T) {
	o := Options{Given: settings.Given{"pose": settings.Flag}}
	list, err := o.each(graph.Params{"enable_pose": true}, nil)
	if err != nil || !list[0].Streams[camdriver.PoseStream].Off || list[0].Source.Pose {
		t.Errorf("%+v, %v", list, err)
	}
}
