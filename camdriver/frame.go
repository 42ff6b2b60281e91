package camdriver

import (
	"sync/atomic"
	"time"
)

// Domain says whose clock a frame's timestamp was read from. Values are those
// of rs2_timestamp_domain.
type Domain uint8

// The timestamp domains.
const (
	HardwareClock Domain = iota
	SystemTime
	GlobalTime
)

var domainNames = [...]string{"Hardware Clock", "System Time", "Global Time"}

// String gives the SDK's words: "Hardware Clock".
func (d Domain) String() string { return nameOf(domainNames[:], int(d)) }

// ParseDomain is the inverse of String.
func ParseDomain(s string) (Domain, bool) {
	i := indexOf(domainNames[:], s)
	return Domain(max(i, 0)), i >= 0
}

// Vec3 is x, y, z.
type Vec3 [3]float32

// MotionSample is what a Gyro frame (rad/s), an Accel frame (m/s²) or a combined
// Motion frame carries, in the camera's axes (x right, y down, z forward).
type MotionSample struct {
	Orientation [4]float64 // x y z w; Motion streams only
	Gyro        [3]float64 // rad/s
	Accel       [3]float64 // m/s²
}

// PoseSample is what a Pose frame carries.
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

// MapInfo says where the cells of an Occupancy frame lie.
type MapInfo struct {
	Resolution float32    // m from cell to cell
	Origin     [3]float64 // m; the corner of cell (0,0) in the map's frame
	Rotation   [4]float64 // x y z w
}

// Releaser owns memory that is counted by reference. Release gives one
// reference back.
type Releaser interface{ Release() }

// Frame is one raised frame. All fields are set before it is raised and never
// change after; Data is valid until the last Release.
type Frame struct {
	Profile   Profile
	Number    uint64
	Timestamp float64 // ms, on the clock that Domain names
	Domain    Domain
	// Arrival is the host's time of arrival. Recordings take their file times
	// from it. A playback device gives its time of opening plus the file time.
	Arrival  time.Time
	Metadata []MetadataValue // in key order, see FitMetadata

	// Video frames; also Occupancy, with a byte a cell: 0 free … 100 occupied,
	// 255 unknown. A map may change its size from frame to frame.
	Width, Height int
	Stride        int     // bytes from row to row
	Data          []byte  // Stride*Height bytes
	DepthUnits    float32 // metres per unit; 0 for other streams

	// Other frames.
	Motion MotionSample
	Pose   PoseSample
	Map    MapInfo

	refs  atomic.Int32
	owner Releaser
}

// NewFrame returns a frame with one reference. owner owns the memory of
// Data and is released with the frame's last reference; nil if there is none.
func NewFrame(owner Releaser) *Frame {
	f := &Frame{owner: owner}
	f.refs.Store(1)
	return f
}

// Renew makes f what NewFrame returns, with every other field zero. It is for
// pools of frames: f's last reference must be gone.
func (f *Frame) Renew(owner Releaser) {
	*f = Frame{owner: owner}
	f.refs.Store(1)
}

// Retain adds a reference and returns f.
func (f *Frame) Retain() *Frame {
	f.refs.Add(1)
	return f
}

// Release gives a reference back; after the last one Data must not be read.
func (f *Frame) Release() {
	n := f.refs.Add(-1)
	if n < 0 {
		panic("camdriver: frame released more often than retained")
	}
	if n == 0 && f.owner != nil {
		f.owner.Release()
	}
}

// Stream is short for Profile.Stream.
func (f *Frame) Stream() StreamID { return f.Profile.Stream }

// Meta looks up one metadata value.
func (f *Frame) Meta(k MetadataKey) (int64, bool) {
	for _, m := range f.Metadata {
		if m.Key == k {
			return m.Value, true
		}
	}
	return 0, false
}
