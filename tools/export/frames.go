package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/packed"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/tools/bagset"
)

// frameHead is the line before the bytes of a frame (docs/python.md).
type frameHead struct {
	Stream    string           `json:"stream"`              // a stream's name, or a topic
	Number    uint64           `json:"number"`              // of the frame; header.seq of a topic
	Stamp     float64          `json:"timestamp_ms"`        // of the frame
	Domain    string           `json:"domain,omitempty"`    // whose clock that is
	Time      int64            `json:"time_ns"`             // in the recording
	Width     int              `json:"width,omitempty"`     // pixels
	Height    int              `json:"height,omitempty"`    // pixels
	Stride    int              `json:"stride,omitempty"`    // bytes from row to row
	Encoding  string           `json:"encoding"`            // float64: a sample's values
	BigEndian bool             `json:"bigendian,omitempty"` // of 16 bits and more
	Units     float64          `json:"depth_m,omitempty"`   // metres per unit of a depth image
	Metadata  map[string]int64 `json:"metadata,omitempty"`
	Size      int              `json:"size"` // bytes after the line
}

// frameWriter writes frames to a pipe. It is for one goroutine.
type frameWriter struct {
	o    Options
	out  *bufio.Writer
	walk bagset.Walk
	bad  int      // messages that can be read but have no image
	left []string // streams and topics that aren't selected
	any  bool     // something is selected

	prefix string // of the names of streams, if there are several cameras
}

// frameTypes are the types of topics that Frames writes.
var frameTypes = []string{"sensor_msgs/Image", "sensor_msgs/CompressedImage", "sensor_msgs/Imu"}

// Frames writes images and samples, each after a line of JSON that describes it: those of each RealSense device in time
// order, then those of other topics. The errors are Run's; o.Dir isn't used.
func Frames(ctx context.Context, o Options, out io.Writer) error {
	open := bagstore.OpenOptions{Context: ctx, Sequential: true, Verify: true, Progress: o.Progress}
	bags, filter, lost, err := o.Selection.Open([]string{o.Bag}, open, o.Log)
	defer bagset.Close(bags)
	if err != nil {
		return err
	}
	w := &frameWriter{o: o, out: bufio.NewWriterSize(out, 64<<10), walk: bagset.NewWalk(ctx, o.Log)}
	recording := rsbag.IsRecording(bags[0])
	others, err := otherTopics(bags[0], filter, recording, o.Camera)
	if err == nil && recording {
		err = w.recording(bags[0], filter)
	}
	if err == nil {
		err = w.topics(bags[0], others)
	}
	if err := cmp.Or(err, w.out.Flush()); err != nil {
		return err
	}
	if !w.any {
		return fmt.Errorf("%w: no stream and no topic of images or inertial samples is selected; there are: %s",
			bagset.ErrSelection, cmp.Or(strings.Join(w.left, ", "), "none"))
	}
	return bagset.Loss(w.bad+w.walk.Damaged, w.walk.Clamped, append(lost, bagset.Found(bags)...))
}

func (w *frameWriter) recording(bag *bagstore.Recording, filter bagstore.Filter) error {
	files, err := rsbag.OpenAll(bag.Path(), rsbag.Options{Bag: bag, Camera: w.o.Camera})
	for i := 0; err == nil && i < len(files); i++ {
		if len(files) > 1 {
			w.prefix = files[i].Camera().Name + "/"
		}
		err = w.camera(files[i], filter)
	}
	return err
}

func (w *frameWriter) camera(file *rsbag.File, filter bagstore.Filter) error {
	chosen := make(map[camdriver.StreamID]bool)
	for _, s := range file.Streams() {
		id := s.Profile.Stream
		chosen[id] = isSelected(file, s, filter)
		w.found(w.prefix+id.String(), chosen[id])
	}
	isChosen := func(id camdriver.StreamID) bool { return chosen[id] }
	cursor := file.Cursor(rsbag.CursorOptions{FramesOnly: true, Streams: isChosen})
	defer cursor.Close()
	for e := range cursor.Part(filter) {
		if e.Frame == nil { // an option's value at the start
			continue
		}
		if err := cmp.Or(w.frame(e), w.walk.Step()); err != nil {
			return err
		}
	}
	n, err := cursor.Damaged()
	if n > 0 {
		w.bad += int(n)
		w.o.Log.Warn().Uint64("messages", n).Err(err).Msg("damaged messages were left out")
	}
	return nil
}

func (w *frameWriter) frame(e rsbag.Event) error {
	f := e.Frame
	head := frameHead{Stream: w.prefix + f.Stream().String(), Number: f.Number, Stamp: f.Timestamp,
		Domain: f.Domain.String(), Time: int64(e.Time)}
	if len(f.Metadata) > 0 {
		head.Metadata = make(map[string]int64, len(f.Metadata))
		for _, m := range f.Metadata {
			head.Metadata[m.Key.String()] = m.Value
		}
	}
	switch f.Stream().Kind {
	case camdriver.Gyro:
		return w.put(head.sample(f.Motion.Gyro[:]))
	case camdriver.Accel:
		return w.put(head.sample(f.Motion.Accel[:]))
	case camdriver.Motion:
		return w.put(head.sample(slices.Concat(f.Motion.Orientation[:], f.Motion.Gyro[:], f.Motion.Accel[:])))
	case camdriver.Pose:
		p, values := f.Pose, []float64(nil)
		for _, v := range slices.Concat(p.Translation[:], p.Rotation[:], p.Velocity[:], p.Acceleration[:],
			p.AngularVelocity[:], p.AngularAcceleration[:]) {
			values = append(values, float64(v))
		}
		return w.put(head.sample(values))
	}
	head.Units = float64(f.DepthUnits)
	return w.put(head.image(FrameImage(f)))
}

// found notes a stream or topic.
func (w *frameWriter) found(name string, selected bool) {
	if w.any = w.any || selected; !selected && !slices.Contains(w.left, name) {
		w.left = append(w.left, name)
	}
}

// topics writes the images and inertial samples of ordinary topics.
func (w *frameWriter) topics(bag *bagstore.Recording, v *bagstore.View) error {
	for _, c := range bag.Connections() {
		if slices.Contains(frameTypes, c.Type) {
			w.found(c.Topic, slices.Contains(v.Connections(), c))
		}
	}
	for m, err := range w.walk.Messages(v) {
		if err == nil {
			err = w.message(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *frameWriter) message(m bagstore.Message) error {
	d := msgs.NewDecoder(m.Data)
	head := func(h msgs.Header) frameHead {
		return frameHead{Stream: m.Conn.Topic, Number: uint64(h.Seq), Stamp: h.Stamp.Millis(), Time: int64(m.Time)}
	}
	switch m.Conn.Type {
	case "sensor_msgs/Image":
		var h msgs.ImageHead
		h.Decode(d)
		p := MessageImage(h, d.Raw(int(h.DataLen)))
		return w.put(head(h.Header).image(p, d.Err()))
	case "sensor_msgs/CompressedImage":
		var h msgs.Header
		h.Decode(d)
		p, err := packed.DecodeNode(d.String(), d.Bytes())
		return w.put(head(h).image(Image{Image: p}, cmp.Or(d.Err(), err)))
	case "sensor_msgs/Imu":
		var imu msgs.Imu
		err := msgs.Unmarshal(m.Data, &imu)
		q, g, a := imu.Orientation, imu.AngularVelocity, imu.LinearAcceleration
		return w.put(head(imu.Header).sample([]float64{q.X, q.Y, q.Z, q.W, g.X, g.Y, g.Z, a.X, a.Y, a.Z}, err))
	}
	return nil
}

// put writes a frame, or counts what is none.
func (w *frameWriter) put(head frameHead, data []byte, odd error) error {
	if odd != nil {
		w.bad++
		w.o.Log.Warn().Str("topic", head.Stream).Int64("time", head.Time).Err(odd).Msg("a message was left out")
		return nil
	}
	head.Size = len(data)
	line, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("describe frame %d of %s: %w", head.Number, head.Stream, err)
	}
	w.out.Write(line)
	w.out.WriteByte('\n')
	_, err = w.out.Write(data) // the errors stay in w.out
	return err
}

// sample returns the frame of a sample, whose values are in data as little-endian doubles.
func (h frameHead) sample(values []float64, err ...error) (_ frameHead, data []byte, _ error) {
	h.Encoding = "float64"
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return h, data, errors.Join(err...)
}

// image returns the frame of an image.
func (h frameHead) image(p Image, err ...error) (frameHead, []byte, error) {
	h.Width, h.Height, h.Stride, h.Encoding, h.BigEndian = p.Width, p.Height, p.Step, p.Encoding, p.BigEndian
	if err := errors.Join(err...); err != nil {
		return h, nil, err
	}
	if err := p.Check(); err != nil {
		return h, nil, err
	}
	return h, p.Data[:min(p.Step*p.Height, len(p.Data))], nil // the last row may lack its padding
}
