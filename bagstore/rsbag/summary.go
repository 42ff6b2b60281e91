package rsbag

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
)

// IsRecording says whether a bag has topics of the layout, from its connections
// alone.
func IsRecording(bag *bagstore.Bag) bool {
	return slices.ContainsFunc(bag.Connections(), func(c *bagstore.Connection) bool {
		return parseTopic(c.Topic).kind != topicUnknown && strings.HasPrefix(c.Topic, "/device_0/")
	})
}

// StreamSummary is what a file holds of one stream.
type StreamSummary struct {
	Sensor      int
	Profile     camdriver.Profile
	Frames      uint64
	First, Last time.Duration // file times; 0 without frames
	Extrinsics  bool          // the stream is related to the reference
}

// Streams sums the streams up, in the order of the snapshot, from the index alone.
func (f *File) Streams() []StreamSummary {
	var out []StreamSummary
	for _, s := range f.streams {
		sum := StreamSummary{Sensor: s.sensor, Profile: s.profile, Frames: s.frames, Extrinsics: s.group != ""}
		if t, err := f.newTrack(func(c *bagstore.Connection) bool { return slices.Contains(s.data, c.ID) }); err == nil {
			sum.First, sum.Last = t.ends()
			t.close()
		}
		out = append(out, sum)
	}
	return out
}

// ends gives the times of the first and last message without reading them.
func (t *track) ends() (first, last time.Duration) {
	for i, s := range t.segments {
		t.its[i].Seek(s.lo)
		if t.its[i].SkipNext() {
			first = time.Duration(t.its[i].Message().Time + s.shift)
			break
		}
	}
	for i, s := range slices.Backward(t.segments) {
		t.its[i].SeekEnd()
		if t.its[i].SkipPrev() {
			last = time.Duration(t.its[i].Message().Time + s.shift)
			break
		}
	}
	return first, last
}

// Gaps reads every frame and counts, for each stream, the frames that are
// missing between their numbers, and the messages that could not be read.
func (f *File) Gaps() (missing map[camdriver.StreamID]uint64, damaged uint64, err error) {
	c, err := f.Cursor(CursorOptions{FramesOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer c.Close()
	missing = make(map[camdriver.StreamID]uint64)
	last := make(map[camdriver.StreamID]uint64)
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		id, n := e.Frame.Stream(), e.Frame.Number
		if before, had := last[id]; had && n > before+1 { // a smaller number: the counter began again
			missing[id] += n - before - 1
		}
		last[id] = n
	}
	damaged, err = c.Damaged()
	return missing, damaged, err
}

// WriteSummary prints the layout's part of `info`: device, sensors, streams,
// notes. It reads the index alone.
func (f *File) WriteSummary(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	info := func(k camdriver.InfoKey) string { return camdriver.Find(f.snap.Info, k) }
	fmt.Fprintf(t, "device:\t%s, serial %s, firmware %s\n", info(camdriver.InfoName), info(camdriver.InfoSerialNumber), info(camdriver.InfoFirmwareVersion))
	fmt.Fprintf(t, "layout:\tRealSense version %d, %v\n", f.version, f.Duration().Round(time.Millisecond))
	if start, ok := f.Start(); ok {
		fmt.Fprintf(t, "recorded:\t%s\n", start.Format(time.RFC3339))
	}
	for i, s := range f.snap.Sensors {
		fmt.Fprintf(t, "sensor %d:\t%s, %d options\n", i, s.Name, len(s.Options))
		for _, st := range f.Streams() {
			if st.Sensor != i {
				continue
			}
			rate := ""
			if d := st.Last - st.First; d > 0 {
				rate = fmt.Sprintf(" at %.1f Hz", float64(st.Frames-1)/d.Seconds())
			}
			fmt.Fprintf(t, "\t  %s: %d frames%s\n", st.Profile, st.Frames, rate)
		}
	}
	for _, n := range f.notes {
		fmt.Fprintf(t, "note:\t%s\n", n)
	}
	return t.Flush()
}
