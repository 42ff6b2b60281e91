package live

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/node/foxglove"
	"rsros/node/graph"
	"rsros/node/naming"
	"rsros/node/record"
	"rsros/node/ros"
	"rsros/node/viewers"
	"rsros/program"
)

// Options are the settings of a live node. If a field has its zero value, it is set
// from the private parameter of the same meaning, or else to the default given
// here.
type Options struct {
	ROS    ros.Config // name, remaps and environment; the default name is rs_ros_node
	Master graph.Mode // default ros
	Source SourceOptions

	// Devices and Cameras are for a node with several cameras: what Source.Device and
	// Camera are for one. The other fields hold for all cameras. A single device
	// may have any number of Cameras if parameters tell them apart.
	Devices, Cameras []string

	Naming naming.Choice // default both
	// Camera is the wrapper naming's prefix, "." for the node's namespace; default
	// "camera", or camera1, camera2 and so on.
	Camera  string
	Wrapper naming.WrapperOptions
	// Manager is the nodelet manager that diagnostics of the wrapper naming are named
	// after, below Camera unless it starts with a slash; default
	// "realsense2_camera_manager". Nothing is loaded into it.
	Manager string
	Streams StreamSettings
	Preset  string // a JSON preset of advanced mode, loaded before the streams start

	Record     string // a bag to record into from the start
	RecordPath string // folder and prefix for ~start_recording; default "."
	// AllowRemotePaths lets the parameter server name files anywhere. Otherwise its
	// ~record and ~record_path must lie below RecordPath.
	AllowRemotePaths bool

	Recording record.Options
	Duration  time.Duration // 0 means until stopped

	Foxglove foxglove.Access // where Foxglove's clients connect; the zero value is nowhere

	HTTP viewers.Access // where viewers connect; the zero value is nowhere

	Log zerolog.Logger

	Observer camdriver.Handler // sees what the recorder sees; nil for none
}

func (o *Options) setDefaults() {
	setDefault(&o.Naming, naming.Both)
	setDefault(&o.Camera, "camera")
	setDefault(&o.RecordPath, ".")
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// fill sets the fields that the user's flags didn't set from private parameters.
// Parameters have realsense2_camera's names where it has the same ones, and the
// flags' names otherwise.
func (o *Options) fill(values graph.Params) error {
	p := graph.NewParamReader(values)
	if o.Source.Device == "" { // otherwise it may be a list
		o.Source.Device = p.Text("device")
	}
	if file := p.Text("rosbag_filename"); file != "" {
		setDefault(&o.Source.Device, file)
	}
	setDefault(&o.Source.Serial, strings.TrimPrefix(p.Text("serial_no"), "_")) // "_123" keeps YAML from reading a number
	setDefault(&o.Source.Port, p.Text("usb_port_id"))
	setDefault(&o.Source.Type, p.Text("device_type"))
	if o.Camera == "" {
		o.Camera = p.Text("camera")
	}
	setDefault(&o.Manager, p.Text("manager"))
	setDefault(&o.Preset, p.Text("json_file_path"))
	setDefault(&o.Record, p.Text("record"))
	setDefault(&o.RecordPath, p.Text("record_path"))
	if word := p.Text("naming"); word != "" && o.Naming == "" {
		n, err := naming.Parse(word)
		if err != nil {
			return fmt.Errorf("parameter ~naming: %w", err)
		}
		o.Naming = n
	}
	wait(p, "wait_for_device_timeout", &o.Source.Wait)
	duration(p, "reconnect_timeout", &o.Source.Retry)
	o.Source.InitialReset = o.Source.InitialReset || p.Is("initial_reset")
	o.Source.Unplugged = o.Source.Unplugged || p.Is("unplugged")
	setDefault(&o.Source.Seed, int64(p.Number("seed")))
	o.Source.Pose = o.Source.Pose || p.Is("enable_pose")
	o.Source.Loop = o.Source.Loop || p.Is("loop")
	o.Source.Paused = o.Source.Paused || p.Is("pause")
	setDefault(&o.Source.Speed, p.Real("speed"))
	duration(p, "duration", &o.Duration)
	fillRecording(&o.Recording, p)
	err := errors.Join(o.Wrapper.Fill(p), o.fillStreams(p))
	return errors.Join(p.Err(), err)
}

func fillRecording(o *record.Options, p *graph.ParamReader) {
	setDefault(&o.SplitSize, int64(p.Number("split_size"))<<20)
	setDefault(&o.QueueBytes, int64(p.Number("buffsize"))<<20)
	setDefault(&o.Bag.ChunkSize, p.Number("chunksize")<<10)
	if p.Is("lz4") {
		setDefault(&o.Bag.Compression, bagstore.LZ4)
	}
	o.DB3 = o.DB3 || p.Is("db3")
	switch direct, buffered := p.Is("direct"), p.Is("buffered"); {
	case direct && buffered:
		p.Refuse("buffered", fmt.Errorf("%w: ~direct is set, too", program.ErrUsage))
	case direct:
		setDefault(&o.Bag.Sink, bagstore.Direct)
	case buffered:
		setDefault(&o.Bag.Sink, bagstore.Buffered)
	}
	duration(p, "split_duration", &o.SplitDuration)
}

// wait sets a field that the user didn't set.
func wait(p *graph.ParamReader, name string, field *time.Duration) {
	v := p.Value(name)
	if v == nil || *field != 0 {
		return
	}
	var err error
	if *field, err = ParseWait(fmt.Sprint(v)); err != nil {
		p.Refuse(name, err)
	}
}

// ParseWait reads for how long to wait, as realsense2_camera's
// wait_for_device_timeout: seconds, or a number with s, m or h. A number that isn't
// positive is for ever, and becomes -1.
func ParseWait(text string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n <= 0 {
		return -1, nil
	}
	return record.ParseDuration(text)
}

// duration sets a field that the user didn't set.
func duration(p *graph.ParamReader, name string, field *time.Duration) {
	text, ok := p.Value(name).(string)
	if !ok {
		if v := p.Real(name); v > 0 {
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	if text == "" || text == "0" || text == "-1" || *field != 0 {
		return
	}
	d, err := record.ParseDuration(text)
	if err != nil {
		p.Refuse(name, err)
		return
	}
	*field = d
}

// wholeInfrared is a D400's left imager in colour or as it is; it can't run beside
// Infrared_1, so it runs only where it is asked for.
var wholeInfrared = camdriver.StreamID{Kind: camdriver.Infrared}

// streamParams are realsense2_camera's parameter names of each stream.
var streamParams = []struct {
	prefix, enable string
	id             camdriver.StreamID
}{
	{"depth", "enable_depth", camdriver.StreamID{Kind: camdriver.Depth}},
	{"color", "enable_color", camdriver.StreamID{Kind: camdriver.Color}},
	{"infra", "enable_infra", wholeInfrared},
	{"infra", "enable_infra1", camdriver.StreamID{Kind: camdriver.Infrared, Index: 1}},
	{"infra", "enable_infra2", camdriver.StreamID{Kind: camdriver.Infrared, Index: 2}},
	{"gyro", "enable_gyro", camdriver.StreamID{Kind: camdriver.Gyro}},
	{"accel", "enable_accel", camdriver.StreamID{Kind: camdriver.Accel}},
	{"pose", "enable_pose", camdriver.StreamID{Kind: camdriver.Pose}},
	{"fisheye", "enable_fisheye", camdriver.StreamID{Kind: camdriver.Fisheye}},
	{"confidence", "enable_confidence", camdriver.StreamID{Kind: camdriver.Confidence}},
}

// optional says that a stream runs if the device proposes it: launch files of
// realsense2_camera name it also for devices that don't have it.
func optional(id camdriver.StreamID) bool {
	return id.Kind == camdriver.Fisheye || id.Kind == camdriver.Confidence
}

func (o *Options) fillStreams(p *graph.ParamReader) error {
	file := p.Text("rosbag_filename") != ""
	var errs []error
	for _, s := range streamParams {
		if _, said := o.Streams[s.id]; said {
			continue
		}
		enabled, said := p.Truth(s.enable)
		if optional(s.id) && (enabled || !said) && (!file || s.id.Kind != camdriver.Fisheye) {
			continue
		}
		if s.id.Kind == camdriver.Pose && o.Source.Pose && !enabled {
			continue // a flag, or a parameter of the command line, asked for it
		}
		set := StreamSetting{Width: p.Number(s.prefix + "_width"), Height: p.Number(s.prefix + "_height"), FPS: p.Number(s.prefix + "_fps")}
		if (set.Width == 0) != (set.Height == 0) {
			errs = append(errs, fmt.Errorf("%w: parameters ~%s_width and ~%s_height: give both or none", program.ErrUsage, s.prefix, s.prefix))
			continue
		}
		if !said && (s.id == wholeInfrared || optional(s.id)) || said && enabled && set == (StreamSetting{}) && file {
			continue // a file has what it has
		}
		if said && !enabled {
			set = StreamSetting{Off: true}
		}
		if set != (StreamSetting{}) || said {
			if o.Streams == nil {
				o.Streams = StreamSettings{}
			}
			o.Streams[s.id] = set
		}
	}
	return errors.Join(errs...)
}
