package convert

import (
	"context"
	"path/filepath"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/container"
	"rsros/bagstore/recording"
	"rsros/bagstore/rsbag"
)

// Run writes a recording in the format that Out's name chooses. A RealSense recording
// becomes one of the other release of librealsense (ToBag, ToDB3), unless ROS says whose
// messages are wanted or In's messages are Out's already; everything else goes message by
// message (Messages).
func Run(ctx context.Context, o Options) (Result, error) {
	to := filepath.Ext(o.Out)
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
	return Messages(ctx, o)
}

// input is what decides how a recording is converted.
type input struct {
	mcap   bool
	layout string // the encoding of a RealSense recording; "" if it is none
}

func look(path string) (in input, err error) {
	bag, topics, err := recording.OpenRaw(path, bagstore.OpenOptions{})
	if err != nil {
		return in, err
	}
	defer bag.Close() //nolint:errcheck // only read
	in.mcap = strings.HasPrefix(bag.Version(), "MCAP")
	for _, t := range topics {
		if _, ok := rsbag.TopicType(t.Name); ok && strings.HasPrefix(t.Name, "/device_") {
			in.layout = t.Encoding
		}
	}
	return in, nil
}
