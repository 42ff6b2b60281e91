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
	facts
	Stride    int              `json:"stride,omitempty"`    // bytes from row to row
	Encoding  string           `json:"encoding"`            // float64: a sample's values
	BigEndian bool             `json:"bigendian,omitempty"` // of 16 bits and more
	Units     float64          `json:"depth_m,omitempty"`   // metres per unit of a depth image
	Metadata  map[string]int64 `json:"metadata,omitempty"`
	Size      int              `json:"size"` // bytes after the line
}

// frameWriter writes frames to a pipe.
type frameWriter struct {
	source
	out  *bufio.Writer
	left []string // streams and topics that aren't selected
	any  bool     // something is selected
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
	w := &frameWriter{source: newSource(ctx, bags[0], filter, o), out: bufio.NewWriterSize(out, 64<<10)}
	err = w.each(w.camera, w.topics)
	if err := cmp.Or(err, w.out.Flush()); err != nil {
		return err
	}
	if !w.any {
		return fmt.Errorf("%w: no stream and no topic of images or inertial samples is selected; there are: %s",
			bagset.ErrSelection, cmp.Or(strings.Join(w.left, ", "), "none"))
	}
	return bagset.Loss(w.bad+w.walk.Damaged, w.walk.Clamped, append(lost, bagset.Found(bags)...))
}

func (w *frameWriter) camera(file *rsbag.File, prefix string) error {
	chosen := make(map[camdriver.StreamID]bool)
	for _, s := range file.Streams() {
		id := s.Profile.Stream
		chosen[id] = isSelected(file, s, w.filter)
		w.found(prefix+id.String(), chosen[id])
	}
	return w.frames(file, chosen, func(e rsbag.Event) error {
		return w.frame(prefix+e.Frame.Stream().String(), e)
	})
}

func (w *frameWriter) frame(name string, e rsbag.Event) error {
	f := e.Frame
	head := frameHead{facts: frameFacts(name, f, int64(e.Time))}
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

func (w *frameWriter) found(name string, selected bool) {
	if w.any = w.any || selected; !selected && !slices.Contains(w.left, name) {
		w.left = append(w.left, name)
	}
}

// topics writes the images and inertial samples of ordinary topics.
func (w *frameWriter) topics(v *bagstore.View) error {
	for _, c := range w.bag.Connections() {
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
	switch m.Conn.Type {
	case "sensor_msgs/Image":
		h, p, err := DecodeImage(m.Data)
		return w.put(frameHead{facts: messageFacts(m, h)}.image(p, err))
	case "sensor_msgs/CompressedImage":
		h, format, data, err := DecodeCompressed(m.Data)
		p, odd := packed.DecodeNode(format, data)
		return w.put(frameHead{facts: messageFacts(m, h)}.image(Image{Image: p}, cmp.Or(err, odd)))
	case "sensor_msgs/Imu":
		var imu msgs.Imu
		err := msgs.Unmarshal(m.Data, &imu)
		q, g, a := imu.Orientation, imu.AngularVelocity, imu.LinearAcceleration
		values := []float64{q.X, q.Y, q.Z, q.W, g.X, g.Y, g.Z, a.X, a.Y, a.Z}
		return w.put(frameHead{facts: messageFacts(m, imu.Header)}.sample(values, err))
	}
	return nil
}

// put writes a frame, or counts what is none.
func (w *frameWriter) put(head frameHead, data []byte, odd error) error {
	if odd != nil {
		w.oddMessage(head.Stream, bagstore.Time(head.Time), odd)
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
