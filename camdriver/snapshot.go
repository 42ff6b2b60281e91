package camdriver

// SensorSnapshot describes one sensor at one instant.
type SensorSnapshot struct {
	Name     string
	Info     []Info
	Options  []Option
	Filters  []string
	Profiles []Profile // those that are streaming, or all of a device at rest
}

// StreamSnapshot holds what is known of one running stream beyond its profile.
type StreamSnapshot struct {
	Sensor    int
	Profile   Profile
	Video     *Intrinsics       // nil if unknown or no video
	Motion    *MotionIntrinsics // nil if unknown or not inertial
	Extrinsic *Extrinsics       // from the reference stream to this one; nil if unknown
}

// DeviceSnapshot describes a device and its running streams at one instant: what
// a recording or a live description starts with.
type DeviceSnapshot struct {
	Info      []Info
	Sensors   []SensorSnapshot
	Reference StreamID // the stream that extrinsics start from
	Streams   []StreamSnapshot
}

// Snapshot describes dev as it is now, with the given profiles running on each
// sensor (indexed as Device.Sensors). Missing calibration leaves nil fields.
func Snapshot(dev Device, running [][]Profile) DeviceSnapshot {
	snap := DeviceSnapshot{Info: dev.Info(), Reference: reference(running)}
	for i, s := range dev.Sensors() {
		var profiles []Profile
		if i < len(running) {
			profiles = running[i]
		}
		snap.Sensors = append(snap.Sensors, SensorSnapshot{
			Name: s.Name(), Info: s.Info(), Options: s.Options(), Filters: s.Filters(), Profiles: profiles,
		})
		for _, p := range profiles {
			snap.Streams = append(snap.Streams, streamSnapshot(dev, s, i, p, snap.Reference))
		}
	}
	return snap
}

func streamSnapshot(dev Device, s Sensor, number int, p Profile, ref StreamID) StreamSnapshot {
	out := StreamSnapshot{Sensor: number, Profile: p}
	if p.Stream.Kind.Video() {
		if in, err := s.Intrinsics(p); err == nil {
			out.Video = &in
		}
	}
	if p.Stream.Kind.Inertial() {
		if in, err := s.MotionIntrinsics(p); err == nil {
			out.Motion = &in
		}
	}
	if ex, err := dev.Extrinsics(ref, p.Stream); err == nil {
		out.Extrinsic = &ex
	}
	return out
}

// reference is depth where it runs, else the first running stream: the SDK's
// choice of the stream that all others are related to.
func reference(running [][]Profile) StreamID {
	var first *StreamID
	for _, list := range running {
		for i := range list {
			if list[i].Stream.Kind == Depth {
				return list[i].Stream
			}
			if first == nil {
				first = &list[i].Stream
			}
		}
	}
	if first == nil {
		return StreamID{}
	}
	return *first
}
