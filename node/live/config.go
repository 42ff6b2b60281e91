package live

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/node/bridge"
	"rsros/node/naming"
	"rsros/node/settings"
	"rsros/node/view"
	"rsros/program"
	"rsros/record"
	"rsros/ros"
	"rsros/ros/graph"
)

// Options are the settings of a live node. A field that is zero and isn't in Given is set
// from its private parameter, or else to its default.
type Options struct {
	ROS    ros.Config    // name, remaps and environment; the default name is rs_ros_node
	Master graph.Mode    `setting:"master"`
	Worlds bridge.Worlds `setting:"ros"`
	QoS    []string      `setting:"qos"` // see bridge.Options
	// CameraNamespace is the wrapper naming's namespace in ROS 2, before Camera.
	CameraNamespace string `setting:"camera-namespace"`
	Source          SourceOptions

	// Devices and Cameras replace Source.Device and Camera for several cameras. The other fields apply to all cameras. A
	// single device may have any number of Cameras if parameters distinguish them.
	Devices, Cameras []string

	Naming naming.Choice `setting:"naming"`
	// Camera is the wrapper naming's prefix, "." for the node's namespace; default
	// "camera", or camera1, camera2 and so on.
	Camera  string `setting:"camera"`
	Wrapper naming.WrapperOptions
	// Manager is the name of the nodelet manager in diagnostics of the wrapper naming,
	// below Camera unless it starts with a slash. It needn't exist.
	Manager string `setting:"manager"`
	Streams StreamSettings
	Preset  string `setting:"json-file-path"` // a JSON preset of advanced mode, loaded before the streams start

	Record     string `setting:"record"`          // the file to record into from the start, in the format of its extension
	RecordPath string `setting:"record-path"`     // folder and prefix for ~start_recording
	Together   bool   `setting:"record-together"` // several cameras into one file
	// AllowRemotePaths lets the parameter server name any file. Otherwise its ~record and
	// ~record_path must be below RecordPath.
	AllowRemotePaths bool `setting:"allow-remote-paths"`

	Duration  time.Duration `setting:"duration"` // 0 means until stopped; before Recording, which has a limit of that name
	Recording record.Options
	Show      func(*Session) (hide func()) // called when the node runs; may be nil

	HTTP view.Access // where viewers connect; nowhere if zero

	Given    settings.Given // settings by flags, including zero values
	Log      zerolog.Logger
	Observer camdriver.Handler // receives the same as the recorder; may be nil
}

// Lists returns the settings that may list several cameras.
func (o *Options) Lists() settings.Fields {
	lists := settings.Fields{}
	if o.Source.Device == "" {
		lists["device"] = &o.Devices
	}
	if o.Camera == "" {
		lists["camera"] = &o.Cameras
	}
	return lists
}

func (o *Options) fill(values graph.Params) error {
	p := settings.NewReader(values)
	o.Given = o.Given.Clone()
	settings.Live.Fill(p, o.Given, o)
	return errors.Join(o.fillStreams(p), p.Err())
}

// wholeInfrared is the unrectified image of a D400's left imager. It runs only on request, because
// it excludes Infrared_1.
var wholeInfrared = camdriver.StreamID{Kind: camdriver.Infrared}

// streamIDs are the streams of settings, by the settings' names.
var streamIDs = map[string]camdriver.StreamID{
	"depth": {Kind: camdriver.Depth}, "color": {Kind: camdriver.Color},
	"enable_infra": wholeInfrared,
	"infra1":       {Kind: camdriver.Infrared, Index: 1}, "infra2": {Kind: camdriver.Infrared, Index: 2},
	"gyro": {Kind: camdriver.Gyro}, "accel": {Kind: camdriver.Accel}, "enable_pose": {Kind: camdriver.Pose},
	"enable_fisheye": {Kind: camdriver.Fisheye}, "enable_confidence": {Kind: camdriver.Confidence},
}

// optional reports whether launch files of realsense2_camera enable a stream for any device.
func optional(id camdriver.StreamID) bool {
	return id.Kind == camdriver.Fisheye || id.Kind == camdriver.Confidence
}

// fillStreams sets the profiles of streams that aren't set yet.
func (o *Options) fillStreams(p *settings.Reader) error {
	file := p.Text("rosbag_filename") != ""
	var errs []error
	for _, f := range settings.Live.Fields(&o.Streams) {
		id := streamIDs[f.Name()]
		if _, set := o.Streams[id]; set && !o.Given.By(f.Name(), settings.FromFile) {
			continue
		}
		enabled, given := p.Truth(f.Params[0])
		if id.Kind == camdriver.Pose && o.Given.By("pose", settings.Flag) {
			enabled, given = o.Source.Pose, !o.Source.Pose
		}
		set := StreamSetting{Width: p.Number(f.Params[1]), Height: p.Number(f.Params[2]), FPS: p.Number(f.Params[3])}
		chosen := set != StreamSetting{}
		switch {
		case optional(id) && (enabled || !given) && (!file || id.Kind != camdriver.Fisheye): // the device may have it
		case id.Kind == camdriver.Pose && o.Source.Pose && !enabled: // a program or the command line enabled it
		case (set.Width == 0) != (set.Height == 0):
			errs = append(errs, fmt.Errorf("%w: parameters ~%s and ~%s: set both or none",
				program.ErrUsage, f.Params[1], f.Params[2]))
		case !given && (id == wholeInfrared || optional(id)):
		case given && enabled && !chosen && file: // a file has fixed profiles
		case given && !enabled:
			errs = append(errs, f.Set("off"))
		case given || chosen:
			errs = append(errs, f.Set(set.String()))
		}
	}
	return errors.Join(errs...)
}

// checkRemotePaths rejects files that the parameter server names outside the command line's folder, because anybody in
// the graph can set parameters. It must be called before private fills fields.
func (o *Options) checkRemotePaths(private graph.Params) error {
	if o.AllowRemotePaths {
		return nil
	}
	allowed := record.Folder(cmp.Or(o.RecordPath, "."))
	p := settings.NewReader(private)
	check := func(name, flag, value, folder string) error {
		text := p.Text(name)
		if _, given := o.Given[flag]; text == "" || (given || value != "") && !o.Given.By(flag, settings.FromFile) {
			return nil
		}
		below, err := isBelow(folder, allowed)
		if below && err == nil && !slices.Contains(strings.Split(filepath.ToSlash(text), "/"), "..") {
			return nil
		}
		return errors.Join(err, fmt.Errorf(
			"%w: parameter ~%s: %q on the parameter server isn't below the record path %q of the command line; use --record-path, or --allow-remote-paths",
			program.ErrUsage, name, text, allowed))
	}
	return errors.Join(
		check("record", "record", o.Record, filepath.Dir(p.Text("record"))),
		check("record_path", "record-path", o.RecordPath, record.Folder(p.Text("record_path"))))
}

// isBelow reports whether folder is top or inside it, after resolving symbolic links.
func isBelow(folder, top string) (bool, error) {
	folder, err := realPath(folder)
	if err != nil {
		return false, err
	}
	top, err = realPath(top)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(top, folder)
	return err == nil && filepath.IsLocal(rel), nil
}

// realPath resolves symbolic links. The last parts of path needn't exist.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	missing := ""
	for {
		existing, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(existing, missing), nil
		}
		if _, dangling := os.Lstat(path); dangling == nil || !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		path, missing = filepath.Dir(path), filepath.Join(filepath.Base(path), missing)
	}
}

// checkFormat rejects names of recordings and options that don't fit a format.
func (o *Options) checkFormat() error {
	switch ext := filepath.Ext(o.Record); {
	case ext == ".bag", ext == ".db3", ext == ".mcap", o.Record == "":
	case strings.EqualFold(ext, ".db3"), strings.EqualFold(ext, ".mcap"):
		return fmt.Errorf("%w: recording into %s: write the extension in lower case", program.ErrUsage, o.Record)
	case o.Recording.DB3:
		o.Record += ".db3"
	}
	o.Recording.Output = o.Record
	return o.Recording.CheckFormat()
}

// checkTogether rejects what one recording of cameras and topics can't be. several says that the node has
// several cameras.
func (o *Options) checkTogether(several bool) error {
	topics := len(o.Recording.Topics) > 0
	switch {
	case topics && several && !o.Together:
		return fmt.Errorf("%w: --topics with several cameras needs --record-together, which records all into one file", program.ErrUsage)
	case (topics || o.Together && several) && o.Recording.DB3:
		return fmt.Errorf("%w: a .db3 holds one camera and no topics next to it: record into a .bag or an .mcap", program.ErrUsage)
	}
	return nil
}

// keepInput rejects a recording into the file that is the device, under any name.
func (o *Options) keepInput() error {
	if o.Record == "" || !o.Source.isBag() {
		return nil
	}
	input, err := os.Stat(o.Source.Device)
	if err != nil {
		return nil // opening it will fail
	}
	for _, path := range record.Files(o.Record) {
		if st, err := os.Stat(path); err == nil && os.SameFile(input, st) {
			return fmt.Errorf("%w: recording into %s would write %s, which is the device %s",
				program.ErrUsage, o.Record, path, o.Source.Device)
		}
	}
	return nil
}
