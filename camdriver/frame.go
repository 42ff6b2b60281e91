package camdriver

import (
	"time"

	"rsros/program/buffers"
)

// Domain is the clock of a frame's timestamp. Values are those of rs2_timestamp_domain.
type Domain uint8

// The timestamp domains.
const (
	HardwareClock Domain = iota
	SystemTime
	GlobalTime
)

var domainNames = [...]string{"Hardware Clock", "System Time", "Global Time"}

// String returns the SDK's name: "Hardware Clock".
func (d Domain) String() string { return nameOf(domainNames[:], d) }

// ParseDomain is the inverse of String.
func ParseDomain(s string) (Domain, bool) { return parseName[Domain](domainNames[:], s) }

// Vec3 is x, y, z.
type Vec3 [3]float32

// MotionSample is the content of a Gyro, Accel or combined Motion frame, in the
// camera's axes: x right, y down, z forward.
type MotionSample struct {
	Orientation [4]float64 // x y z w; Motion streams only
	Gyro        [3]float64 // rad/s
	Accel       [3]float64 // m/s²
}

// PoseSample is the content of a Pose frame.
type PoseSample struct {
	Translation         Vec3       // m
	Velocity            Vec3       // m/s
	Acceleration        Vec3       // m/s²
	Rotation            [4]float32 // x y z w
	AngularVelocity     Vec3       // rad/s
	AngularAcceleration Vec3       // rad/s²
	TrackerConfidence   uint32     // 0 failed … 3 high
	MapperConfidence    uint32     // 0 failed … 3 high
}

// MapInfo locates the cells of an Occupancy frame.
type MapInfo struct {
	Resolution float32    // m per cell
	Origin     [3]float64 // m; corner of cell (0,0) in the map's frame
	Rotation   [4]float64 // x y z w
}

// Frame is a frame of a stream. Its fields do not change after it is raised. Data is valid until the last Release.
type Frame struct {
	Profile   Profile
	Number    uint64
	Timestamp float64 // ms, on the clock of Domain
	Domain    Domain
	// Arrival is when the frame reached the host. Recordings derive file times from
	// it. For a playback device it is the time of opening plus the file time.
	Arrival  time.Time
	Metadata []MetadataValue // in key order, see FitMetadata

	// Video frames and Occupancy, which has one byte per cell: 0 free … 100
	// occupied, 255 unknown. A map's size may change between frames.
	Width, Height int
	Stride        int     // bytes per row, with padding
	Data          []byte  // Stride*Height bytes
	DepthUnits    float32 // metres per unit; 0 for other streams

	// Other frames.
	Motion MotionSample
	Pose   PoseSample
	Map    MapInfo

	refs  buffers.Refs
	owner buffers.Releaser
}

// NewFrame returns a frame with one reference. owner holds the memory of Data and is
// released with the frame's last reference; it may be nil.
func NewFrame(owner buffers.Releaser) *Frame {
	f := &Frame{}
	f.Renew(owner)
	return f
}

// Renew resets f to the result of NewFrame(owner), for pools of frames. f's last reference must have been released.
func (f *Frame) Renew(owner buffers.Releaser) {
	*f = Frame{owner: owner}
	f.refs.Init()
}

// Retain adds a reference and returns f.
func (f *Frame) Retain() *Frame {
	f.refs.Retain()
	return f
}

// Release drops a reference. After the last one, Data must not be read.
func (f *Frame) Release() {
	if f.refs.Release() && f.owner != nil {
		f.owner.Release()
	}
}

// Stream returns f.Profile.Stream.
func (f *Frame) Stream() StreamID { return f.Profile.Stream }

// Meta returns a metadata value.
func (f *Frame) Meta(k MetadataKey) (int64, bool) {
	for _, m := range f.Metadata {
		if m.Key == k {
			return m.Value, true
		}
	}
	return 0, false
}
