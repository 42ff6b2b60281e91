package live

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/camdriver/imu"
	"rsros/node/graph"
	"rsros/node/naming"
	"rsros/node/record"
	"rsros/node/ros"
	"rsros/program"
)

// Options are the settings of a live node. If a field has its zero value, it is set
// from the private parameter of the same meaning, or else to the default given
// here.
type Options struct {
	ROS    ros.Config // name, remaps and environment; the default name is rs_ros_node
	Master graph.Mode // default ros
	Source SourceOptions

	Naming  naming.Choice // default both
	Camera  string        // the wrapper naming's prefix; default "camera"
	Wrapper naming.WrapperOptions
	Streams StreamSettings

	Record     string // a bag to record into from the start
	RecordPath string // folder and prefix for ~start_recording; default "."
	// AllowRemotePaths lets the parameter server name files anywhere. Otherwise its
	// ~record and ~record_path must lie below RecordPath.
	AllowRemotePaths bool

	Recording record.Options
	Duration  time.Duration // 0 means until stopped

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
func (o *Options) fill(values params) error {
	p := newReader(values)
	setDefault(&o.Source.Device, p.text("device"))
	if file := p.text("rosbag_filename"); file != "" {
		setDefault(&o.Source.Device, file)
	}
	setDefault(&o.Source.Serial, strings.TrimPrefix(p.text("serial_no"), "_")) // "_123" keeps YAML from reading a number
	setDefault(&o.Source.Port, p.text("usb_port_id"))
	setDefault(&o.Source.Type, p.text("device_type"))
	setDefault(&o.Camera, p.text("camera"))
	setDefault(&o.Record, p.text("record"))
	setDefault(&o.RecordPath, p.text("record_path"))
	if word := p.text("naming"); word != "" && o.Naming == "" {
		n, err := naming.Parse(word)
		if err != nil {
			return fmt.Errorf("parameter ~naming: %w", err)
		}
		o.Naming = n
	}
	setDefault(&o.Source.Seed, int64(p.number("seed")))
	o.Source.Pose = o.Source.Pose || p.is("enable_pose")
	o.Source.Loop = o.Source.Loop || p.is("loop")
	o.Source.Paused = o.Source.Paused || p.is("pause")
	setDefault(&o.Source.Speed, p.real("speed"))
	p.duration("duration", &o.Duration)
	fillRecording(&o.Recording, p)
	err := errors.Join(fillWrapper(&o.Wrapper, p), o.fillStreams(p))
	return errors.Join(p.err(), err)
}

// fillWrapper takes realsense2_camera's parameters of what is published.
func fillWrapper(o *naming.WrapperOptions, p *reader) error {
	o.Sync = o.Sync || p.is("enable_sync")
	o.AlignDepth = o.AlignDepth || p.is("align_depth")
	o.PointCloud = o.PointCloud || p.is("enable_pointcloud")
	o.OrderedCloud = o.OrderedCloud || p.is("ordered_pc")
	o.AllowNoTexture = o.AllowNoTexture || p.is("allow_no_texture_points")
	o.RGBD = o.RGBD || p.is("rgbd")
	setDefault(&o.Frames, p.text("tf_prefix"))
	setDefault(&o.AccelCovariance, p.real("linear_accel_cov"))
	setDefault(&o.GyroCovariance, p.real("angular_velocity_cov"))
	setDefault(&o.Clip, p.real("clip_distance"))
	setDefault(&o.TFRate, p.real("tf_publish_rate"))
	if on, said := p.truth("publish_tf"); said && !on {
		o.NoTF = true
	}
	var errs []error
	if o.Filters == nil {
		var err error
		o.Filters, err = naming.ParseFilters(p.text("filters"))
		errs = append(errs, err)
	}
	if o.UniteIMU == "" {
		method, err := imu.ParseMethod(p.text("unite_imu_method"))
		if err != nil {
			err = fmt.Errorf("%w: %w", program.ErrUsage, err)
		}
		if p.text("unite_imu_method") != "" {
			o.UniteIMU = method
		}
		errs = append(errs, err)
	}
	kind, err := naming.ParseTexture(p.text("pointcloud_texture_stream"))
	o.Texture = camdriver.StreamID{Kind: kind, Index: p.number("pointcloud_texture_index")}
	return errors.Join(append(errs, err)...)
}

func fillRecording(o *record.Options, p *reader) {
	setDefault(&o.SplitSize, int64(p.number("split_size"))<<20)
	setDefault(&o.QueueBytes, int64(p.number("buffsize"))<<20)
	setDefault(&o.Bag.ChunkSize, p.number("chunksize")<<10)
	if p.is("lz4") {
		setDefault(&o.Bag.Compression, bagstore.LZ4)
	}
	if p.is("direct") {
		setDefault(&o.Bag.Sink, bagstore.Direct)
	}
	p.duration("split_duration", &o.SplitDuration)
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
}

func (o *Options) fillStreams(p *reader) error {
	var errs []error
	for _, s := range streamParams {
		if _, said := o.Streams[s.id]; said {
			continue
		}
		set := StreamSetting{Width: p.number(s.prefix + "_width"), Height: p.number(s.prefix + "_height"), FPS: p.number(s.prefix + "_fps")}
		if (set.Width == 0) != (set.Height == 0) {
			errs = append(errs, fmt.Errorf("%w: parameters ~%s_width and ~%s_height: give both or none", program.ErrUsage, s.prefix, s.prefix))
			continue
		}
		enabled, said := p.truth(s.enable)
		if !said && s.id == wholeInfrared || said && enabled && set == (StreamSetting{}) && p.text("rosbag_filename") != "" {
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
