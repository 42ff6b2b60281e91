package export

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/msgs"
)

// topics exports ordinary topics: images or a table for each. It logs topics of other types.
type topics struct {
	*folder
	counts  map[string]uint64 // messages of a topic in the bag
	streams map[string]*manifestStream
	err     error // of a file
}

// The functions return an error in the message; those of files are kept in topics.err.
var topicKinds = map[string]func(*topics, bagstore.Message) error{
	"sensor_msgs/Image":           (*topics).image,
	"sensor_msgs/CompressedImage": (*topics).compressed,
	"sensor_msgs/CameraInfo":      (*topics).cameraInfo,
	"sensor_msgs/Imu":             (*topics).imu,
	"sensor_msgs/PointCloud2":     (*topics).cloud,
	"realsense2_camera/Metadata":  (*topics).metadata,
}

// exportTopics exports a view. It also reads what nothing is made of, so that damage is found.
func (f *folder) exportTopics(v *bagstore.View) error {
	t := &topics{folder: f, counts: make(map[string]uint64), streams: make(map[string]*manifestStream)}
	taken := make(map[*bagstore.Connection]bool)
	left := make(map[string]bool)
	for _, c := range v.Connections() {
		if taken[c] = topicKinds[c.Type] != nil; !taken[c] {
			left[c.Topic] = true
		}
	}
	if len(left) > 0 {
		f.o.Log.Info().Strs("topics", slices.Sorted(maps.Keys(left))).
			Msg("no images or tables are made of these; cat --json prints their messages")
	}
	return t.run(v, taken)
}

func (t *topics) run(v *bagstore.View, taken map[*bagstore.Connection]bool) error {
	for m, err := range v.Index() {
		if err != nil {
			break
		}
		if taken[m.Conn] {
			t.counts[m.Conn.Topic]++
		}
	}
	t.walk.Done, t.walk.Total = 0, v.Count()
	for m, err := range t.walk.Messages(v) {
		if err != nil {
			return err
		}
		if !taken[m.Conn] {
			continue
		}
		if odd := topicKinds[m.Conn.Type](t, m); odd != nil {
			t.oddMessage(m.Conn.Topic, m.Time, odd)
		}
		if t.err != nil {
			return t.err
		}
	}
	return nil
}

func (t *topics) stream(topic string) *manifestStream {
	s, ok := t.streams[topic]
	if !ok {
		s = &manifestStream{Name: topic, Topic: topic, Place: t.place(topic), Frames: t.counts[topic]}
		t.streams[topic] = s
		t.manifest.streams = append(t.manifest.streams, s)
	}
	return s
}

func (t *topics) entry(m bagstore.Message, h msgs.Header, ext string) manifestFile {
	return manifestFile{File: t.nextFile(t.stream(m.Conn.Topic).Place, t.counts[m.Conn.Topic], ext),
		facts: messageFacts(m, h)}
}

func (t *topics) image(m bagstore.Message) error {
	head, p, err := DecodeImage(m.Data)
	if err != nil {
		return err
	}
	e := t.entry(m, head, p.Ext())
	e.describe(p, p.Encoding)
	t.err = t.write(e, m.Retain().Release, p.Encode)
	return nil
}

// compressed writes an image, which is a file already, without the 12 bytes before the PNG of
// compressed depth. Quantized depth isn't restored.
func (t *topics) compressed(m bagstore.Message) error {
	head, format, data, err := DecodeCompressed(m.Data)
	if err != nil {
		return err
	}
	const depthHeader = 12
	if strings.Contains(format, "compressedDepth") && len(data) > depthHeader &&
		bytes.HasPrefix(data[depthHeader:], pngMagic) {
		data = data[depthHeader:]
	}
	e := t.entry(m, head, imageExtension(data))
	e.Encoding = format
	t.err = t.write(e, m.Retain().Release, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return nil
}

var pngMagic = []byte("\x89PNG")

func imageExtension(data []byte) string {
	switch {
	case bytes.HasPrefix(data, pngMagic):
		return ".png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return ".jpg"
	}
	return ".bin"
}

func (t *topics) cameraInfo(m bagstore.Message) error {
	var info msgs.CameraInfo
	if err := msgs.Unmarshal(m.Data, &info); err != nil {
		return err
	}
	if s := t.stream(m.Conn.Topic); s.Intrinsics == nil {
		s.Intrinsics = map[string]any{"frame_id": info.Header.FrameID, "width": info.Width, "height": info.Height,
			"model": info.DistortionModel, "D": slices.Concat([]float64{}, info.D), "K": info.K, "R": info.R, "P": info.P}
	}
	return nil
}

func (t *topics) imu(m bagstore.Message) error {
	var imu msgs.Imu
	if err := msgs.Unmarshal(m.Data, &imu); err != nil {
		return err
	}
	q, w, a := imu.Orientation, imu.AngularVelocity, imu.LinearAcceleration
	values := imuValues([4]float64{q.X, q.Y, q.Z, q.W}, [3]float64{w.X, w.Y, w.Z}, [3]float64{a.X, a.Y, a.Z})
	t.topicRow(m, imu.Header, imuColumns(), values...)
	return nil
}

func (t *topics) metadata(m bagstore.Message) error {
	var meta msgs.Metadata
	if err := msgs.Unmarshal(m.Data, &meta); err != nil {
		return err
	}
	t.topicRow(m, meta.Header, []string{"json"}, meta.JSONData)
	return nil
}

func (t *topics) topicRow(m bagstore.Message, h msgs.Header, columns []string, values ...any) {
	t.err = t.row(t.stream(m.Conn.Topic).Place+".csv",
		append([]string{"time_ns", "seq", "stamp_ns", "frame_id"}, columns...),
		append([]any{int64(m.Time), h.Seq, int64(h.Stamp), h.FrameID}, values...)...)
}

// plyTypes are PLY's names of sensor_msgs/PointField's datatypes, with their size.
var plyTypes = map[uint8]struct {
	name string
	size int
}{
	1: {"char", 1}, 2: {"uchar", 1}, 3: {"short", 2}, 4: {"ushort", 2}, 5: {"int", 4}, 6: {"uint", 4},
	msgs.PointFloat32: {"float", 4}, 8: {"double", 8},
}

const plyColours = "property uchar red\nproperty uchar green\nproperty uchar blue\n"

// cloudField is a run of bytes in each point, and its lines in the PLY's header.
type cloudField struct {
	properties string
	offset     int
	size       int
	packed     bool // blue, green, red, alpha in 4 bytes: written as red, green, blue
}

// cloudFields checks a cloud's description, on which writeCloud relies.
func cloudFields(h *msgs.PointCloudHead) ([]cloudField, error) {
	if h.PointStep == 0 || h.PointStep > 1<<16 || uint64(h.Width)*uint64(h.PointStep) > uint64(h.RowStep) ||
		uint64(h.Height)*uint64(h.RowStep) > uint64(h.DataLen) {
		return nil, fmt.Errorf("%d×%d points of %d bytes don't fit in %d bytes", h.Width, h.Height, h.PointStep, h.DataLen)
	}
	var fields []cloudField
	for _, f := range h.Fields {
		t, ok := plyTypes[f.Datatype]
		if !ok || f.Count > 64 || uint64(f.Offset)+uint64(t.size)*uint64(max(f.Count, 1)) > uint64(h.PointStep) {
			return nil, fmt.Errorf("field %q of type %d at byte %d", f.Name, f.Datatype, f.Offset)
		}
		name := oddLetters().ReplaceAllString(f.Name, "_")
		if (name == "rgb" || name == "rgba") && t.size == 4 && !h.BigEndian {
			fields = append(fields, cloudField{plyColours, int(f.Offset), 4, true})
			continue
		}
		c := cloudField{offset: int(f.Offset), size: t.size * int(max(f.Count, 1))}
		for i := range max(f.Count, 1) {
			if f.Count > 1 {
				name = fmt.Sprintf("%s_%d", oddLetters().ReplaceAllString(f.Name, "_"), i)
			}
			c.properties += fmt.Sprintf("property %s %s\n", t.name, name)
		}
		fields = append(fields, c)
	}
	if len(fields) == 0 {
		return nil, errors.New("a point cloud without fields")
	}
	return fields, nil
}

// cloud writes a PointCloud2 as PLY, with all its fields and points, including NaN.
func (t *topics) cloud(m bagstore.Message) error {
	var head msgs.PointCloudHead
	d := msgs.NewDecoder(m.Data)
	d.Message(&head)
	data := d.Raw(int(head.DataLen))
	if err := d.Err(); err != nil {
		return err
	}
	fields, err := cloudFields(&head)
	if err != nil {
		return err
	}
	e := t.entry(m, head.Header, ".ply")
	e.Width, e.Height = int(head.Width), int(head.Height)
	e.Points = e.Width * e.Height
	t.err = t.write(e, m.Retain().Release, func(w io.Writer) error { return writeCloud(w, &head, fields, data) })
	return nil
}

func writeCloud(w io.Writer, h *msgs.PointCloudHead, fields []cloudField, data []byte) error {
	order := "little"
	if h.BigEndian {
		order = "big"
	}
	buf := bufio.NewWriterSize(w, 256<<10)
	fmt.Fprintf(buf, "ply\nformat binary_%s_endian 1.0\nelement vertex %d\n", order, uint64(h.Width)*uint64(h.Height))
	for _, f := range fields {
		buf.WriteString(f.properties)
	}
	buf.WriteString("end_header\n")
	rows := int(h.Height)
	if h.Width == 0 {
		rows = 0 // nothing bounds their number then
	}
	for y := range rows {
		row := data[y*int(h.RowStep):]
		for x := range int(h.Width) {
			point := row[x*int(h.PointStep):]
			for _, f := range fields {
				if f.packed {
					buf.Write([]byte{point[f.offset+2], point[f.offset+1], point[f.offset]})
				} else {
					buf.Write(point[f.offset:][:f.size])
				}
			}
		}
	}
	return buf.Flush()
}
