package camdriver

import "slices"

// SensorSnapshot describes a sensor at one instant.
type SensorSnapshot struct {
	Name     string
	Info     []Info
	Options  []Option
	Filters  []string
	Profiles []Profile // the streaming ones, or all if the device is idle
}

// StreamSnapshot describes a running stream.
type StreamSnapshot struct {
	Sensor    int
	Profile   Profile
	Video     *Intrinsics       // nil if unknown or not video
	Motion    *MotionIntrinsics // nil if unknown or not inertial
	Extrinsic *Extrinsics       // from the reference stream to this one; nil if unknown
}

// DeviceSnapshot describes a device and its running streams at one instant. Recordings and live topics start with it.
type DeviceSnapshot struct {
	Info      []Info
	Sensors   []SensorSnapshot
	Reference StreamID // the origin of extrinsics
	Streams   []StreamSnapshot
}

// Snapshot describes dev with the given running profiles, indexed by sensor. Fields without calibration are nil.
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

// reference returns depth if it runs, or else the first running stream, as the SDK does.
func reference(running [][]Profile) StreamID {
	all := slices.Concat(running...)
	if len(all) == 0 {
		return StreamID{}
	}
	depth := slices.IndexFunc(all, func(p Profile) bool { return p.Stream.Kind == Depth })
	return all[max(depth, 0)].Stream
}
