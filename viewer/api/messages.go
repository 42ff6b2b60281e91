// Package api encodes and decodes the protocol between the viewer's page and the program
// (docs/internals/view-protocol.md): text messages as Go types, and the heads of binary messages.
package api

import (
	"strconv"
	"time"
)

// Version is the protocol's version, and Subprotocol its name on a WebSocket.
const (
	Version     = 1
	Subprotocol = "rs-ros.view.v1"
)

// Nanos is a time in nanoseconds since 1970, or since a recording's start. In JSON it is
// a decimal string, because a page's numbers are exact up to 2^53 only.
type Nanos int64

// NanosOf converts t to Nanos.
func NanosOf(t time.Time) Nanos { return Nanos(t.UnixNano()) }

// MarshalText returns the decimal digits.
func (n Nanos) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil }

// UnmarshalText is the inverse of MarshalText.
func (n *Nanos) UnmarshalText(b []byte) error {
	v, err := strconv.ParseInt(string(b), 10, 64)
	*n = Nanos(v)
	return err
}

// Source describes what is shown: a camera, a recording or a graph.
type Source struct {
	Kind      string      `json:"kind"` // "camera", "file" or "graph"
	Name      string      `json:"name"`
	Device    string      `json:"device,omitempty"` // id of the candidate
	File      string      `json:"file,omitempty"`
	Info      [][2]string `json:"info"`
	Sensors   []Sensor    `json:"sensors"`
	Streams   []Stream    `json:"streams"`
	Start     *Nanos      `json:"start,omitempty"`
	End       *Nanos      `json:"end,omitempty"`
	Marks     []Mark      `json:"marks"`
	FrameSets int         `json:"frameSets,omitempty"`
}

// Sensor is a sensor with its options.
type Sensor struct {
	ID      int      `json:"id"`
	Camera  string   `json:"camera,omitempty"` // if there are several
	Name    string   `json:"name"`
	Options []Option `json:"options"`
}

// Option is the state of one option.
type Option struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Value       Float32 `json:"value"`
	Min         Float32 `json:"min"`
	Max         Float32 `json:"max"`
	Step        Float32 `json:"step"`
	Default     Float32 `json:"default"`
	ReadOnly    bool    `json:"readOnly"`

	Labels map[string]string `json:"labels,omitempty"` // by value; of a choice
}

// Stream is a stream that a viewer can subscribe to.
type Stream struct {
	ID         uint16                `json:"id"`
	Camera     string                `json:"camera,omitempty"` // if there are several
	Kind       string                `json:"kind"`             // "video", "motion", "pose", "topic"
	Name       string                `json:"name"`
	Sensor     int                   `json:"sensor"`
	Format     string                `json:"format"`
	Type       string                `json:"type,omitempty"` // ROS type of a topic
	Width      int                   `json:"width"`
	Height     int                   `json:"height"`
	FPS        int                   `json:"fps"`
	Intrinsics *Intrinsics           `json:"intrinsics,omitempty"`
	DepthUnits Float32               `json:"depthUnits,omitempty"` // metres
	Extrinsics map[string]Extrinsics `json:"extrinsics,omitempty"` // by the other stream's id
	Place      *Extrinsics           `json:"place,omitempty"`      // of depth: to the first camera's, if there are several
}

// Intrinsics are the parameters of a lens, in pixels.
type Intrinsics struct {
	Width  int             `json:"width"`
	Height int             `json:"height"`
	Fx     Float64         `json:"fx"`
	Fy     Float64         `json:"fy"`
	Ppx    Float64         `json:"ppx"`
	Ppy    Float64         `json:"ppy"`
	Model  string          `json:"model"`
	Coeffs Floats[float64] `json:"coeffs"`
}

// Extrinsics map points of a stream to another's: a column-major rotation, and metres.
type Extrinsics struct {
	Rotation    Floats[float64] `json:"rotation"`
	Translation Floats[float64] `json:"translation"`
}

// Mark is something on the time line of a recording.
type Mark struct {
	Time   Nanos   `json:"time"`
	Kind   string  `json:"kind"` // "loss", "notification", "option"
	Stream *uint16 `json:"stream,omitempty"`
	Text   string  `json:"text"`
}

// State is what playback is doing. Position is nil for a live camera.
type State struct {
	Playing  bool      `json:"playing"`
	Position *Nanos    `json:"position"`
	Rate     float64   `json:"rate"`
	Loop     bool      `json:"loop"`
	Range    *[2]Nanos `json:"range"`
	Ended    bool      `json:"ended"`
	Stalled  bool      `json:"stalled,omitempty"` // until messages are read
	Set      *int      `json:"set"`
	Round    int       `json:"round"`
	Waiting  bool      `json:"-"` // plays, but waits for something other than the next message's time
	Jumps    int       `json:"-"` // number of times that the position was set
}

// Record is what recording is doing.
type Record struct {
	On      bool     `json:"on"`
	Paused  bool     `json:"paused"`
	File    string   `json:"file"`
	Seconds float64  `json:"seconds"`
	Bytes   int64    `json:"bytes"`
	Free    int64    `json:"free"`
	Drops   uint64   `json:"drops"`
	Part    int      `json:"part"`
	Streams []uint16 `json:"streams"`
	Error   string   `json:"error,omitempty"`
	Empty   bool     `json:"empty,omitempty"`  // it has ended, and nothing came
	Upload  string   `json:"upload,omitempty"` // files that wait for upload, and the reason
	Ring    string   `json:"ring,omitempty"`   // content of the ring, if there is one

	Compression string      `json:"compression,omitempty"`
	Table       []RecordRow `json:"table,omitempty"`
	Total       *RecordRow  `json:"total,omitempty"` // of all rows, including those that a large table omits

	Camera  string   `json:"camera,omitempty"`  // of one of Cameras
	Cameras []Record `json:"cameras,omitempty"` // if several are recorded apart; the fields above are of all that are on
}

// RecordRow is a topic or stream that is recorded.
type RecordRow struct {
	Name       string  `json:"name"`
	Type       string  `json:"type"`
	Publishers int     `json:"publishers"` // connected publishers of a topic; -1 for streams
	Rate       float64 `json:"rate"`       // messages a second
	Speed      float64 `json:"speed"`      // bytes a second
	Messages   uint64  `json:"messages"`
	Bytes      uint64  `json:"bytes"` // of these
	Drops      uint64  `json:"drops"`
	Queue      int64   `json:"queue"` // bytes that wait for the disk
	Lost       uint64  `json:"lost"`  // messages lost before they arrived
}

// Candidate is a device that can be opened.
type Candidate struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// The program's messages, without their op. Those of other ops are a State, a Record, or one list: "candidates" has all
// devices that can be opened now, "marks" all marks of the source.
type (
	// Hello is the first message to a viewer.
	Hello struct {
		Version  int   `json:"version"`
		Viewer   int   `json:"viewer"`
		ViewOnly bool  `json:"viewOnly"`
		Now      Nanos `json:"now"`
		SourceChanged
		Files      bool        `json:"files"`
		Candidates []Candidate `json:"candidates"`
	}
	// SourceChanged announces a new source. Everything received about the previous one is void.
	SourceChanged struct {
		Source *Source `json:"source"`
		State  *State  `json:"state"`
		Record *Record `json:"record"`
	}
	// Options has all options of a sensor.
	Options struct {
		Sensor  int      `json:"sensor"`
		Options []Option `json:"options"`
	}
	// OptionChanged has a new value.
	OptionChanged struct {
		Sensor int     `json:"sensor"`
		ID     string  `json:"id"`
		Value  Float32 `json:"value"`
	}
	// Notification is an event that the device reported.
	Notification struct {
		Time     Nanos  `json:"time"`
		Severity string `json:"severity"`
		Category string `json:"category"`
		Text     string `json:"text"`
		Data     string `json:"data"`
	}
	// LogLine is a line of the program's log.
	LogLine struct {
		Time  Nanos  `json:"time"`
		Level string `json:"level"` // "debug", "info", "warn", "error", "fatal"
		Node  string `json:"node"`
		Text  string `json:"text"`
	}
	// Counts are frames and bytes of viewers.
	Counts struct {
		Streams []StreamCounts `json:"streams"`
		Viewers []ViewerCounts `json:"viewers"`
	}
	// Pong answers a ping.
	Pong struct {
		T   any   `json:"t"`
		Now Nanos `json:"now"`
	}
)

// StreamCounts are the frames of one stream and viewer: Given = Sent + Skipped when no frame
// waits. Lost frames never reached the program.
type StreamCounts struct {
	ID      uint16 `json:"id"`
	Given   uint64 `json:"given"`
	Lost    uint64 `json:"lost"`
	Sent    uint64 `json:"sent"`
	Skipped uint64 `json:"skipped"`
}

// ViewerCounts counts what one viewer was sent.
type ViewerCounts struct {
	ID      int    `json:"id"`
	Address string `json:"address"`
	Bytes   uint64 `json:"bytes"`
	Sent    uint64 `json:"sent"`
	Skipped uint64 `json:"skipped"`
}
