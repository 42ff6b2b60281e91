package live

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rsros/camdriver"
)

// StreamSetting is what a user asked of one stream: "off", "on", "848x480@30",
// "848x480", "@60" or, for inertial streams, "200". Zero fields leave the choice
// to the device.
type StreamSetting struct {
	Off           bool
	Width, Height int
	FPS           int
}

// ParseStreamSetting reads the forms listed at StreamSetting.
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

// StreamSettings are settings by stream. A stream that isn't mentioned runs as
// the device proposes; an infrared stream that isn't mentioned follows depth,
// because both come from the same imagers.
type StreamSettings map[camdriver.StreamID]StreamSetting

func (s StreamSettings) of(id camdriver.StreamID) StreamSetting {
	if set, ok := s[id]; ok {
		return set
	}
	if id.Kind == camdriver.Infrared {
		if depth, ok := s[camdriver.StreamID{Kind: camdriver.Depth}]; ok && !depth.Off {
			return depth
		}
	}
	return StreamSetting{}
}

// Choose picks a profile for every stream that is on, by sensor as in
// Device.Sensors. It fails if a stream was asked for that the device doesn't
// have, or in a way it can't run; the error lists the ways it can.
func (s StreamSettings) Choose(sensors []camdriver.Sensor) ([][]camdriver.Profile, error) {
	chosen := make([][]camdriver.Profile, len(sensors))
	have := map[camdriver.StreamID]bool{}
	for i, sensor := range sensors {
		for id, profiles := range byStream(sensor.Profiles()) {
			have[id] = true
			set := s.of(id)
			if set.Off || !s.wanted(id, profiles) {
				continue
			}
			p, ok := set.pick(profiles)
			if !ok {
				return nil, fmt.Errorf("%s can't run as %s: %w; it offers %s", id, set, camdriver.ErrUnsupported, listProfiles(profiles))
			}
			chosen[i] = append(chosen[i], p)
		}
		slices.SortFunc(chosen[i], func(a, b camdriver.Profile) int { return a.Stream.Compare(b.Stream) })
	}
	for id, set := range s {
		if !have[id] && !set.Off {
			return nil, fmt.Errorf("stream %s: %w: the device doesn't have it", id, camdriver.ErrNotFound)
		}
	}
	if !slices.ContainsFunc(chosen, func(p []camdriver.Profile) bool { return len(p) > 0 }) {
		return nil, errors.New("every stream is off")
	}
	return chosen, nil
}

// wanted says whether a stream runs: those that were asked for, and those that
// the device proposes by a default profile. A D400's left imager, say, may also
// be had as Infrared_0 in colour, but not beside Infrared_1.
func (s StreamSettings) wanted(id camdriver.StreamID, profiles []camdriver.Profile) bool {
	_, asked := s[id]
	return asked || slices.ContainsFunc(profiles, func(p camdriver.Profile) bool { return p.Default })
}

// pick takes the default profile where it fits, else the first that does: the
// drivers list the best first.
func (set StreamSetting) pick(profiles []camdriver.Profile) (camdriver.Profile, bool) {
	fits := func(p camdriver.Profile) bool {
		return (set.Width == 0 || set.Width == p.Width && set.Height == p.Height) && (set.FPS == 0 || set.FPS == p.FPS)
	}
	if i := slices.IndexFunc(profiles, func(p camdriver.Profile) bool { return p.Default && fits(p) }); i >= 0 {
		return profiles[i], true
	}
	if i := slices.IndexFunc(profiles, fits); i >= 0 {
		return profiles[i], true
	}
	return camdriver.Profile{}, false
}

// String gives the form that ParseStreamSetting reads.
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

func listProfiles(profiles []camdriver.Profile) string {
	var names []string
	for _, p := range profiles {
		name := StreamSetting{Width: p.Width, Height: p.Height, FPS: p.FPS}.String()
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
