package process

import (
	"fmt"
	"slices"
	"strings"

	"rsros/camdriver"
	"rsros/program/nearest"
)

// word is the name of a block, from realsense2_camera if that has the block.
type word struct {
	name string
	make func(*Resources) Block
}

var named = []word{
	{"decimation", func(r *Resources) Block { return NewDecimation(r) }},
	{"rotation", func(r *Resources) Block { return NewRotation(r) }},
	{"hdr_merge", func(r *Resources) Block { return NewHDRMerge(r) }},
	{"sequence_id_filter", func(r *Resources) Block { return NewSequenceID(r) }},
	{"threshold", func(r *Resources) Block { return NewThreshold(r) }},
	{"disparity_start", func(r *Resources) Block { return NewDisparity(r) }},
	{"spatial", func(r *Resources) Block { return NewSpatial(r) }},
	{"temporal", func(r *Resources) Block { return NewTemporal(r) }},
	{"hole_filling", func(r *Resources) Block { return NewHoleFilling(r) }},
	{"disparity_end", func(r *Resources) Block { return NewDepth(r) }},
	{"align_to_color", func(r *Resources) Block { return NewAlign(r, camdriver.Color) }},
	{"align_to_depth", func(r *Resources) Block { return NewAlign(r, camdriver.Depth) }},
	{"align_to_infrared", func(r *Resources) Block { return NewAlign(r, camdriver.Infrared) }},
	{"colorizer", func(r *Resources) Block { return NewColorizer(r) }},
	{"pointcloud", func(r *Resources) Block { return NewPointCloud(r, camdriver.ColorStream) }},
}

// BlockNames returns the names for New.
func BlockNames() []string {
	out := make([]string, len(named))
	for i, w := range named {
		out[i] = w.name
	}
	return out
}

// ParseNames parses a comma-separated list of names, ignoring spaces. It returns
// camdriver.ErrNotFound if a name isn't in known.
func ParseNames(list string, known []string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(strings.ReplaceAll(list, " ", ""), ",") {
		if name == "" {
			continue
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("filter %q: %w; known filters: %s%s", name, camdriver.ErrNotFound,
				strings.Join(known, ", "), nearest.Hint(name, known))
		}
		out = append(out, name)
	}
	return out, nil
}

// New returns a block with default options. The name must be one of BlockNames.
func New(res *Resources, name string) Block {
	return named[slices.IndexFunc(named, func(w word) bool { return w.name == name })].make(res)
}

// SetOption changes an option by its name in parameters.
func SetOption(b Block, name string, value float32) error {
	var names []string
	for _, o := range b.Options() {
		if names = append(names, camdriver.SnakeCase(o.ID.String())); names[len(names)-1] == name {
			return b.SetOption(o.ID, value)
		}
	}
	return fmt.Errorf("%s: option %q: %w; known options: %s", b.Name(), name,
		camdriver.ErrNotFound, strings.Join(names, ", "))
}
