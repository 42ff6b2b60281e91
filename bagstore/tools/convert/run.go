package convert

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/realsense/rslayout"
)

// Run converts a recording to the format of Out's extension: by ToBag or ToDB3 if it is a RealSense
// recording, or with Device a camera node's, and by Messages otherwise, if ROS is set, or if In
// already has Out's kind of messages.
func Run(ctx context.Context, o Options) (Result, error) {
	to := filepath.Ext(o.Out)
	if o.Device {
		switch to {
		case extBag:
			return ToBag(ctx, o)
		case extDB3:
			return ToDB3(ctx, o)
		}
		return Result{}, fmt.Errorf("convert to %s: librealsense plays %s and %s", o.Out, extBag, extDB3)
	}
	if o.ROS != 0 || to != extBag && to != extDB3 {
		return Messages(ctx, o)
	}
	in, err := look(o.In)
	if err != nil {
		return Result{}, err
	}
	switch {
	case to == extBag && in.layout != "" && !(in.mcap && in.layout == container.ROS1):
		return ToBag(ctx, o)
	case to == extDB3 && in.layout != "" && !(in.mcap && in.layout == container.CDR):
		return ToDB3(ctx, o)
	}
	r, err := Messages(ctx, o)
	r.Camera = in.camera
	return r, err
}

type input struct {
	mcap   bool
	layout string // the encoding of a RealSense recording; "" for others
	camera bool   // it has a camera node's images
}

func look(name string) (in input, err error) {
	bag, topics, err := recording.OpenRaw(name, bagstore.OpenOptions{})
	if err != nil {
		return in, err
	}
	defer bag.Close() //nolint:errcheck // only read
	in.mcap = strings.HasPrefix(bag.Version(), "MCAP")
	names := make(map[string]bool)
	for _, t := range topics {
		names[t.Name] = true
	}
	for _, t := range topics {
		if strings.HasPrefix(t.Type, "sensor_msgs/") && path.Base(t.Type) == "Image" && names[path.Dir(t.Name)+"/camera_info"] {
			in.camera = in.layout == ""
		}
		if _, ok := rslayout.TopicType(t.Name); ok && strings.HasPrefix(t.Name, "/device_") {
			in.layout, in.camera = t.Encoding, false
		}
	}
	return in, nil
}
