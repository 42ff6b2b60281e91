package d400

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// mode is a configuration of a streaming interface, and the streams that can be made of its frames.
type mode struct {
	function *uvc.Function
	stream   *uvc.Stream
	format   uvc.Format
	native   camdriver.Format // AnyFormat if the driver doesn't support it
	frame    uint8
	w, h     int
	fps      int
	interval uint32
	outputs  []output
}

func (m mode) String() string {
	return fmt.Sprintf("interface %d endpoint %#x format %d %x frame %d %dx%d interval %d",
		m.stream.Interface, m.stream.Endpoint,
		m.format.Index, m.format.GUID, m.frame, m.w, m.h, m.interval)
}

// control returns the address of a control of the mode's interface.
func (m mode) control(selector uint8) uvc.Control {
	return uvc.Control{Interface: m.stream.Interface, Selector: selector}
}

// output is a stream made of a mode's frames.
type output struct {
	stream camdriver.StreamID
	format camdriver.Format
}

// mixedStream is the unrectified colour of the left imager.
var mixedStream = camdriver.StreamID{Kind: camdriver.Infrared}

// outputsOf returns the outputs of a native format. Like the SDK, it ignores the UYVY that
// cameras with grey imagers list. The D405's UYVY is its colour stream.
func outputsOf(native camdriver.Format, p model.Product) []output {
	switch {
	case native == camdriver.YUYV:
		return append(colorOutputs(camdriver.ColorStream, native), output{camdriver.ColorStream, camdriver.Y8})
	case native == camdriver.UYVY && p.DepthColor:
		return colorOutputs(camdriver.ColorStream, native)
	case native == camdriver.UYVY && p.Colored:
		return colorOutputs(mixedStream, native)
	}
	return plainOutputs[native]
}

// plainOutputs are the outputs of native formats that every camera has.
var plainOutputs = map[camdriver.Format][]output{
	camdriver.Z16:   {{camdriver.DepthStream, camdriver.Z16}},
	camdriver.Y8:    {{camdriver.LeftStream, camdriver.Y8}},
	camdriver.Y8I:   {{camdriver.LeftStream, camdriver.Y8}, {camdriver.RightStream, camdriver.Y8}},
	camdriver.Y12I:  {{camdriver.LeftStream, camdriver.Y16}, {camdriver.RightStream, camdriver.Y16}},
	camdriver.RAW16: {{camdriver.ColorStream, camdriver.RAW16}},
}

// colorOutputs returns what can be made of a stream of YUYV or UYVY.
func colorOutputs(id camdriver.StreamID, native camdriver.Format) []output {
	return []output{
		{id, camdriver.RGB8}, {id, native}, {id, camdriver.BGR8}, {id, camdriver.RGBA8}, {id, camdriver.BGRA8},
	}
}

// allModes returns all modes of a function, without their outputs.
func allModes(f *uvc.Function) (list []mode) {
	for s := range f.Streams {
		for _, format := range f.Streams[s].Formats {
			for _, frame := range format.Frames {
				for _, interval := range frame.Intervals {
					list = append(list, mode{
						function: f, stream: &f.Streams[s], format: format, native: model.FormatOf(format.GUID), frame: frame.Index,
						w: frame.Width, h: frame.Height, fps: uvc.FrameRate(interval), interval: interval,
					})
				}
			}
		}
	}
	return list
}

// modesOf returns a function's modes of which streams can be made, with the fewest streams first, so that modes that
// send no more than requested are preferred.
func modesOf(f *uvc.Function, p model.Product) (list []mode) {
	for _, m := range allModes(f) {
		m.outputs = outputsOf(m.native, p)
		if m.stream.Endpoint != 0 && len(m.outputs) > 0 && m.w*m.h*m.native.BitsPerPixel()/8 <= maxFrameBytes {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b mode) int { return cmp.Compare(a.distinct(), b.distinct()) })
	return list
}

// distinct returns the number of streams of a mode.
func (m mode) distinct() int {
	return len(slices.CompactFunc(slices.Clone(m.outputs), func(a, b output) bool { return a.stream == b.stream }))
}

func (m mode) profile(o output) camdriver.Profile {
	return camdriver.Profile{Stream: o.stream, Format: o.format, Width: m.w, Height: m.h, FPS: m.fps}
}

func (m mode) offers(p camdriver.Profile) bool {
	p.Default = false
	return slices.ContainsFunc(m.outputs, func(o output) bool { return m.profile(o) == p })
}

// profilesOf returns the distinct profiles of modes by stream, largest and fastest first, with the defaults marked.
func profilesOf(modes []mode, slow bool) []camdriver.Profile {
	var list []camdriver.Profile
	for _, m := range modes {
		for _, o := range m.outputs {
			if p := m.profile(o); !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b camdriver.Profile) int {
		return cmp.Or(
			a.Stream.Compare(b.Stream),
			cmp.Compare(b.Width*b.Height, a.Width*a.Height), cmp.Compare(b.FPS, a.FPS),
		)
	})
	markDefaults(list, slow)
	return list
}

// markDefaults marks one profile per stream: the SDK's default, or else the nearest one in size.
func markDefaults(list []camdriver.Profile, slow bool) {
	want := []camdriver.Profile{
		{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 848, Height: 480, FPS: 30},
		{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: 848, Height: 480, FPS: 30},
		{Stream: camdriver.RightStream, Format: camdriver.Y8, Width: 848, Height: 480, FPS: 30},
		{Stream: camdriver.ColorStream, Format: camdriver.RGB8, Width: 1280, Height: 720, FPS: 30},
	}
	for _, w := range want {
		if slow {
			w.Width, w.Height, w.FPS = 640, 480, 15
		}
		distance := func(p camdriver.Profile) int {
			return 1000*abs(p.Width*p.Height-w.Width*w.Height) + abs(p.FPS-w.FPS)
		}
		var best *camdriver.Profile
		for i, p := range list {
			if p.Stream == w.Stream && p.Format == w.Format && (best == nil || distance(p) < distance(*best)) {
				best = &list[i]
			}
		}
		if best != nil {
			best.Default = true
		}
	}
}

func abs(v int) int { return max(v, -v) }

// choose returns a mode per interface so that together they provide all profiles.
func choose(modes []mode, profiles []camdriver.Profile) (map[*uvc.Stream]mode, error) {
	wanted := map[*uvc.Stream][]camdriver.Profile{}
	for _, p := range profiles {
		i := slices.IndexFunc(modes, func(m mode) bool { return m.offers(p) })
		if i < 0 {
			return nil, fmt.Errorf("profile %s: %w", p, camdriver.ErrUnsupported)
		}
		s := modes[i].stream
		wanted[s] = append(wanted[s], p)
	}
	chosen := map[*uvc.Stream]mode{}
	for s, list := range wanted {
		i := slices.IndexFunc(modes, func(m mode) bool {
			return m.stream == s && !slices.ContainsFunc(list, func(p camdriver.Profile) bool { return !m.offers(p) })
		})
		if i < 0 {
			return nil, fmt.Errorf("profiles %s cannot be combined because they share a USB stream: %w",
				join(list), camdriver.ErrUnsupported)
		}
		chosen[s] = modes[i]
	}
	return chosen, nil
}

func join(list []camdriver.Profile) string {
	var words []string
	for _, p := range list {
		words = append(words, p.String())
	}
	return strings.Join(words, ", ")
}
