package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"rsros/bagstore"
	"rsros/msgs"
)

// plyTypes are PLY's names of sensor_msgs/PointField's datatypes, with their size.
var plyTypes = map[uint8]struct {
	name string
	size int
}{
	1: {"char", 1}, 2: {"uchar", 1}, 3: {"short", 2}, 4: {"ushort", 2}, 5: {"int", 4}, 6: {"uint", 4},
	msgs.PointFloat32: {"float", 4}, 8: {"double", 8},
}

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
		return nil, fmt.Errorf("%d×%d points of %d bytes in %d", h.Width, h.Height, h.PointStep, h.DataLen)
	}
	var fields []cloudField
	for _, f := range h.Fields {
		t, ok := plyTypes[f.Datatype]
		if !ok || f.Count > 64 || uint64(f.Offset)+uint64(t.size)*uint64(max(f.Count, 1)) > uint64(h.PointStep) {
			return nil, fmt.Errorf("field %q of type %d at byte %d", f.Name, f.Datatype, f.Offset)
		}
		name := oddLetters().ReplaceAllString(f.Name, "_")
		if (name == "rgb" || name == "rgba") && t.size == 4 && !h.BigEndian {
			fields = append(fields, cloudField{"property uchar red\nproperty uchar green\nproperty uchar blue\n", int(f.Offset), 4, true})
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
	head.Decode(d)
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
