// Package catalog describes recordings, one row for each, and reads, writes, merges and searches catalogs of rows.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/camdriver"
	"rsros/tools/info"
)

// Row describes a recording. Instants are in nanoseconds since 1970. What isn't known is 0, empty or nil.
type Row struct {
	Name    string `json:"name"`              // path or address
	Version string `json:"version,omitempty"` // another one when the content changes; the ETag of an object
	// of the object, that it was uploaded with or that the store has, such as crc32c:e3069283
	Checksum string `json:"checksum,omitempty"`
	Modified int64  `json:"modified,omitempty"` // when it was written
	Made     int64  `json:"made"`               // when this row was made
	Size     int64  `json:"size"`               // of the file or files, in bytes
	Format   string `json:"format,omitempty"`   // 2.0, 1.2 (of rosbag), MCAP, …
	State    State  `json:"state"`

	// Start and End are the times of the first and the last message. Those of a RealSense recording, whose times
	// count from its start, are on the time line of its stamps, as info has them. Small times don't count from 1970.
	Start    int64   `json:"start"`
	End      int64   `json:"end"`
	Duration int64   `json:"duration"` // nanoseconds
	Messages int64   `json:"messages"`
	Topics   []Topic `json:"topics"` // by name

	Device        string `json:"device,omitempty"` // the name of a RealSense camera
	Serial        string `json:"serial,omitempty"`
	Firmware      string `json:"firmware,omitempty"`
	MissingFrames *int64 `json:"missing_frames,omitempty"` // by the numbers of each stream's first and last frame

	Notes     []string `json:"notes,omitempty"`     // what is damaged or unusual
	Thumbnail []byte   `json:"thumbnail,omitempty"` // a JPEG, in JSON as base64
	Error     string   `json:"error,omitempty"`     // why it can't be read
}

// State is the state of a recording as far as opening it shows, without reading messages.
type State string

const (
	Indexed State = "indexed"
	// no message is known to be lost, but stock tools can't read it: it has no index, for example
	Repairable State = "repairable"
	Damaged    State = "damaged" // messages are lost
	Unreadable State = "unreadable"
)

// Topic is a topic of a recording.
type Topic struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Messages int64  `json:"messages"`
}

// Options say what a row has beside what the index tells.
type Options struct {
	Thumbnail bool // reads one frame
	Missing   bool // reads two frames of each stream of a RealSense recording
	Checksum  bool // asks the store for one
}

// Describe makes the row of a recording. If it can't be read, the row says why.
func Describe(ctx context.Context, name string, o Options) Row {
	r := Row{Name: name, Made: time.Now().UnixNano(), State: Unreadable, Topics: []Topic{}}
	if st, err := place.Stat(ctx, name); err == nil { // a folder of rosbag2 has no version
		r.Size, r.Version, r.Modified = st.Size, st.Version, st.Modified.UnixNano()
		if o.Checksum {
			r.Checksum, _ = place.Checksum(ctx, name, st.Version) // otherwise it isn't known
		}
	}
	if err := r.read(ctx, name, o); err != nil {
		r.State, r.Error = Unreadable, shortened(err.Error())
	}
	return r
}

func (r *Row) read(ctx context.Context, name string, o Options) error {
	bag, err := recording.Open(name, bagstore.OpenOptions{Context: ctx})
	if err != nil {
		return err
	}
	defer bag.Close() //nolint:errcheck // only read
	r.fromIndex(bag)
	if err := r.fromDevice(ctx, bag, o.Missing); err != nil {
		return err
	}
	if o.Thumbnail {
		r.Thumbnail = Thumbnail(bag)
	}
	return ctx.Err()
}

// Limits of a row, so that readers can have some, too.
const (
	maxTopics = 512 << 10 // bytes of names and types
	maxNotes  = 20
	maxText   = 500 // bytes of a note or an error
)

func (r *Row) fromIndex(bag *bagstore.Recording) {
	r.Size, r.Format, r.State = bag.Size(), bag.Version(), Indexed
	r.Start, r.End, r.Duration = int64(bag.Start()), int64(bag.End()), int64(bag.End().Sub(bag.Start()))
	r.Messages = int64(bag.MessageCount())
	bytes := 0
	for i, t := range info.Topics(bag) {
		if bytes += len(t.Topic) + len(t.Type); bytes > maxTopics {
			r.note(fmt.Sprintf("the topics after the first %d are left out", i))
			break
		}
		r.Topics = append(r.Topics, Topic{t.Topic, t.Type, int64(t.Messages)})
	}
	if !bag.Indexed() {
		r.State = Repairable
	}
	for _, n := range bag.Notes() {
		r.note(n.Text)
		switch {
		case n.Kind == recording.KindTopic:
		case n.Severity == bagstore.Loss:
			r.State = Damaged
		case n.Severity == bagstore.Repairable && r.State == Indexed:
			r.State = Repairable
		}
	}
}

func (r *Row) note(text string) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, shortened(text))
	}
}

// shortened returns at most maxText bytes of a text, as valid UTF-8.
func shortened(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "\ufffd")
}

// fromDevice adds what a RealSense recording says about its camera.
func (r *Row) fromDevice(ctx context.Context, bag *bagstore.Recording, countMissing bool) error {
	f, err := rsbag.Open(bag.Path(), rsbag.Options{Bag: bag, First: true})
	if errors.Is(err, rsbag.ErrNoRecording) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	facts := f.Snapshot().Info
	r.Device, r.Serial, r.Firmware = camdriver.Find(facts, camdriver.InfoName),
		camdriver.Find(facts, camdriver.InfoSerialNumber), camdriver.Find(facts, camdriver.InfoFirmwareVersion)
	if by := rsbag.TimeLineOf(bag).Offset; by.Absolute() {
		r.Start, r.End = r.Start+int64(by), r.End+int64(by)
	}
	if countMissing {
		n := int64(0)
		for _, s := range f.Streams() {
			n += missing(f, s)
		}
		r.MissingFrames = &n
	}
	return ctx.Err()
}

// missing returns how many numbers the frames of a stream leave out, 0 if the camera's counter began again.
func missing(f *rsbag.File, s rsbag.StreamSummary) int64 {
	id := s.Profile.Stream
	first, err := f.First(id)
	if err != nil {
		return 0
	}
	defer first.Frame.Release()
	last, err := f.Last(id, f.Duration())
	if err != nil {
		return 0
	}
	defer last.Frame.Release()
	return max(0, int64(last.Frame.Number-first.Frame.Number)-int64(s.Frames-1))
}

// RealSense reports whether it is the recording of a RealSense camera.
func (r *Row) RealSense() bool {
	return slices.ContainsFunc(r.Topics, func(t Topic) bool { return rsbag.IsTopic(t.Name) })
}

// Sound reports whether nothing is known to be wrong with the recording.
func (r *Row) Sound() bool { return r.State == Indexed }
