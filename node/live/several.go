package live

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore/place"
	"rsros/node/settings"
	"rsros/program"
	"rsros/record"
	"rsros/record/upload"
	"rsros/ros/graph"
)

// each returns the options of each camera, completed from the private parameters of the command line and of the
// parameter server. The latter are nil before the node has joined the graph.
//
// With several cameras, the parameters below a camera's name, such as ~front/depth_width,
// have precedence over those of all cameras.
func (o Options) each(line, server graph.Params) ([]Options, error) {
	o.Given = o.Given.Clone()
	for _, source := range []graph.Params{line, server} {
		p := settings.NewReader(source)
		settings.Live.Fill(p, o.Given, o.Lists())
		if err := p.Err(); err != nil {
			return nil, err
		}
	}
	o.Source.Device, o.Devices = place.Redact(o.Source.Device), slices.Clone(o.Devices)
	for i := range o.Devices {
		o.Devices[i] = place.Redact(o.Devices[i])
	}
	n := max(len(o.Devices), len(o.Cameras), 1)
	if len(o.Devices) > 1 && len(o.Devices) != n || len(o.Cameras) > 0 && len(o.Cameras) != n {
		return nil, fmt.Errorf("%w: %d devices (%s) and %d names of cameras (%s): want a name for each device, or none",
			program.ErrUsage, len(o.Devices), strings.Join(o.Devices, ", "), len(o.Cameras), strings.Join(o.Cameras, ", "))
	}
	list := make([]Options, n)
	for i := range list {
		c := o
		pick(&c.Source.Device, o.Devices, i)
		pick(&c.Camera, o.Cameras, i)
		complete := c.filled
		if n > 1 {
			c.Camera = cmp.Or(c.Camera, fmt.Sprint("camera", i+1)) // as in rs_multiple_devices.launch
			complete = c.oneOfSeveral
		}
		var err error
		if list[i], err = complete(line, server); err != nil {
			return nil, err
		}
		if list[i].Source.isBag() {
			list[i].Source.Named = list[i].Camera
		}
		settings.Live.Complete(list[i].Given, &list[i])
		if err := list[i].checkTogether(n > 1); err != nil {
			return nil, err
		}
	}
	if n == 1 {
		return list, nil
	}
	return list, checkDistinct(list)
}

// pick sets a field to element i of a list, or to its only one.
func pick(field *string, list []string, i int) {
	if len(list) > 0 {
		*field = list[min(i, len(list)-1)]
	}
}

func (o Options) filled(line, server graph.Params) (Options, error) {
	err := o.fill(line)
	err = errors.Join(err, o.checkRemotePaths(server), o.fill(server), o.keepInput(), o.checkFormat(), o.Recording.Check(),
		cmp.Or(upload.OnlyPaths(o.Record, o.RecordPath), record.CheckPath(o.Record)))
	return o, err
}

// oneOfSeveral is like filled for one of several cameras. It appends the camera's name to
// names of files and tf frames that are the same for all cameras.
func (o Options) oneOfSeveral(line, server graph.Params) (Options, error) {
	own, err := o.filled(below(line, o.Camera), below(server, o.Camera))
	if err != nil {
		return o, fmt.Errorf("camera %s: %w", o.Camera, err)
	}
	all, err := own.filled(line, server)
	name := strings.ReplaceAll(strings.Trim(o.Camera, "/"), "/", "_")
	if own.Record == o.Record && all.Record != "" && !all.Together {
		all.Record = record.OfCamera(all.Record, name)
	}
	if own.RecordPath == o.RecordPath && !all.Together {
		all.RecordPath = record.Prefix(cmp.Or(all.RecordPath, "."), name)
	}
	if own.Wrapper.Frames == o.Wrapper.Frames && all.Wrapper.Frames != "" {
		all.Wrapper.Frames += "_" + name
	}
	return all, err
}

func below(p graph.Params, camera string) graph.Params {
	v, _ := lookUp(p, strings.Trim(camera, "/"))
	tree, _ := v.(map[string]any)
	return tree
}

// checkDistinct checks that cameras of a node don't share a name or a device.
func checkDistinct(list []Options) error {
	for i, a := range list {
		if a.Source.isBag() {
			return fmt.Errorf("%w: camera %s is the recording %s, which needs a node of its own",
				program.ErrUsage, a.Camera, a.Source.Device)
		}
		if a.Together != list[0].Together {
			return fmt.Errorf("%w: --record-together is for all cameras: %s and %s differ",
				program.ErrUsage, list[0].Camera, a.Camera)
		}
		if a.Camera == "." {
			return fmt.Errorf("%w: only one camera can use the node's namespace as its name", program.ErrUsage)
		}
		for _, b := range list[:i] {
			if a.Camera == b.Camera {
				return fmt.Errorf("%w: two cameras are called %s", program.ErrUsage, a.Camera)
			}
			if a.Source.same(b.Source) {
				return fmt.Errorf("%w: cameras %s and %s are both %q: tell devices apart by serial numbers, as in usb:SERIAL or sim:SERIAL",
					program.ErrUsage, b.Camera, a.Camera, a.Source.Device)
			}
		}
	}
	return nil
}

// same reports whether both select the same device with the same settings.
func (o SourceOptions) same(p SourceOptions) bool {
	o.Log, p.Log = zerolog.Logger{}, zerolog.Logger{}
	o.Wait, o.InitialReset = p.Wait, p.InitialReset // don't affect an open device
	return reflect.DeepEqual(o, p)
}
