package live

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"rsros/camdriver"
	"rsros/node/settings"
)

// StreamSetting is the setting of a stream: "off", "on", "848x480@30", "848x480", "@60" or,
// for inertial streams, "200". The device chooses fields that are zero.
type StreamSetting struct {
	Off           bool
	Width, Height int
	FPS           int
}

// ParseStreamSetting parses the forms that StreamSetting lists.
func ParseStreamSetting(s string) (StreamSetting, error) {
	switch strings.ToLower(s) {
	case "off", "false", "no":
		return StreamSetting{Off: true}, nil
	case "on", "true", "yes", "":
		return StreamSetting{}, nil
	}
	size, rate, hasRate := strings.Cut(s, "@")
	if n, err := strconv.Atoi(size); err == nil && !hasRate && n > 0 {
		return StreamSetting{FPS: n}, nil
	}
	var set StreamSetting
	if size != "" {
		w, h, ok := strings.Cut(size, "x")
		width, errW := strconv.Atoi(w)
		height, errH := strconv.Atoi(h)
		if !ok || errW != nil || errH != nil || width <= 0 || height <= 0 {
			return set, fmt.Errorf("stream setting %q: want WIDTHxHEIGHT@FPS, FPS, on or off", s)
		}
		set.Width, set.Height = width, height
	}
	if hasRate {
		fps, err := strconv.Atoi(rate)
		if err != nil || fps <= 0 {
			return set, fmt.Errorf("stream setting %q: rate %q is not a positive number", s, rate)
		}
		set.FPS = fps
	}
	return set, nil
}

// StreamSettings are settings by stream. A stream without a setting runs with the device's
// default, except that infrared uses depth's setting, because both have the same imagers.
type StreamSettings map[camdriver.StreamID]StreamSetting

// Settings returns the settings of all streams.
func (s *StreamSettings) Settings() settings.Fields {
	fields := settings.Fields{}
	for name, id := range streamIDs {
		fields[name] = settings.Key((*map[camdriver.StreamID]StreamSetting)(s), id, ParseStreamSetting)
	}
	return fields
}

func (s StreamSettings) setting(id camdriver.StreamID) StreamSetting {
	if set, ok := s[id]; ok {
		return set
	}
	if id.Kind == camdriver.Infrared {
		if depth, ok := s[camdriver.DepthStream]; ok && !depth.Off {
			return depth
		}
	}
	return StreamSetting{}
}

// Choose selects a profile for every stream that is on, by sensor as in Device.Sensors. It fails if the device lacks a
// requested stream or profile. The error lists these streams and their profiles.
func (s StreamSettings) Choose(sensors []camdriver.Sensor) ([][]camdriver.Profile, error) {
	chosen := make([][]camdriver.Profile, len(sensors))
	have := map[camdriver.StreamID]bool{}
	var errs []error
	var failed StreamSetting // of depth
	for i, sensor := range sensors {
		offered := byStream(sensor.Profiles())
		for _, id := range slices.SortedFunc(maps.Keys(offered), camdriver.StreamID.Compare) {
			profiles := offered[id]
			have[id] = true
			set := s.setting(id)
			if set.Off || !s.wanted(id, profiles) {
				continue
			}
			p, ok := set.pick(profiles)
			if _, own := s[id]; !ok && !own && s.setting(id) == failed {
				continue // it has depth's setting, whose error is reported
			}
			if !ok {
				if id.Kind == camdriver.Depth {
					failed = set
				}
				errs = append(errs, fmt.Errorf("%s can't run as %s: %w; the nearest is %s; it offers%s",
					id, set, camdriver.ErrUnsupported, settingOf(set.nearest(profiles)), listProfiles(profiles)))
				continue
			}
			chosen[i] = append(chosen[i], p)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(s), camdriver.StreamID.Compare) {
		if !have[id] && !s[id].Off {
			errs = append(errs, fmt.Errorf("stream %s: %w: the device doesn't have it", id, camdriver.ErrNotFound))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if !slices.ContainsFunc(chosen, func(p []camdriver.Profile) bool { return len(p) > 0 }) {
		return nil, errors.New("every stream is off")
	}
	return chosen, nil
}

// wanted reports whether a stream runs: it has a setting or a default profile.
func (s StreamSettings) wanted(id camdriver.StreamID, profiles []camdriver.Profile) bool {
	_, asked := s[id]
	return asked || slices.ContainsFunc(profiles, func(p camdriver.Profile) bool { return p.Default })
}

// pick selects the default profile if it fits, or else the first that does, the best.
func (set StreamSetting) pick(profiles []camdriver.Profile) (camdriver.Profile, bool) {
	fits := func(p camdriver.Profile) bool {
		return (set.Width == 0 || set.Width == p.Width && set.Height == p.Height) && (set.FPS == 0 || set.FPS == p.FPS)
	}
	i := slices.IndexFunc(profiles, func(p camdriver.Profile) bool { return p.Default && fits(p) })
	if i < 0 {
		i = slices.IndexFunc(profiles, fits)
	}
	if i < 0 {
		return camdriver.Profile{}, false
	}
	return profiles[i], true
}

// String returns the form that ParseStreamSetting parses.
func (set StreamSetting) String() string {
	if set.Off {
		return "off"
	}
	out := ""
	if set.Width > 0 {
		out = fmt.Sprintf("%dx%d", set.Width, set.Height)
	}
	if set.FPS > 0 {
		out += fmt.Sprintf("@%d", set.FPS)
	}
	if out == "" {
		return "on"
	}
	return out
}

func byStream(profiles []camdriver.Profile) map[camdriver.StreamID][]camdriver.Profile {
	out := map[camdriver.StreamID][]camdriver.Profile{}
	for _, p := range profiles {
		out[p.Stream] = append(out[p.Stream], p)
	}
	return out
}

func settingOf(p camdriver.Profile) StreamSetting {
	return StreamSetting{Width: p.Width, Height: p.Height, FPS: p.FPS}
}

// nearest returns the profile whose size and rate differ by the smallest factors.
func (set StreamSetting) nearest(profiles []camdriver.Profile) camdriver.Profile {
	far := func(p camdriver.Profile) (sum float64) {
		for _, f := range [][2]int{{set.Width, p.Width}, {set.Height, p.Height}, {set.FPS, p.FPS}} {
			if f[0] > 0 && f[1] > 0 {
				sum += math.Abs(math.Log(float64(f[0]) / float64(f[1])))
			}
		}
		return sum
	}
	return slices.MinFunc(profiles, func(a, b camdriver.Profile) int { return cmp.Compare(far(a), far(b)) })
}

// Offered returns the settings that sensors offer for a stream, which is named as its flag.
func Offered(sensors []camdriver.Sensor, flag string) (list []string) {
	for _, s := range sensors {
		for _, p := range byStream(s.Profiles())[streamIDs[flag]] {
			if text := strings.TrimPrefix(settingOf(p).String(), "@"); !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// listProfiles returns the settings of profiles, with a line for each size.
func listProfiles(profiles []camdriver.Profile) (list string) {
	var seen []StreamSetting
	for _, p := range profiles {
		set, separator := settingOf(p), "\n  "
		if n := len(seen); n > 0 && seen[n-1].Width == set.Width && seen[n-1].Height == set.Height {
			separator = ", "
		}
		if !slices.Contains(seen, set) {
			seen, list = append(seen, set), list+separator+set.String()
		}
	}
	return list
}
