package export

import (
	"io"
	"math"
	"path/filepath"
	"testing"

	"rsros/msgs"
)

func TestFolderPlace(t *testing.T) {
	f := &folder{names: map[string]string{}}
	for _, c := range []struct{ topic, want string }{
		{"/camera/depth/image_raw", "camera/depth/image_raw"},
		{"relative", "relative"},
		{"/a b/ü", "a_b/_"},
		{"../../etc/passwd", "__/__/etc/passwd"},
		{"/.", "__"},
		{"/aux/Nul.png/auxiliary/x..", "_aux/_Nul_png/auxiliary/x_"}, // Windows has none of these
		{"//x//y/", "x/_/y"},
		{"", "_"},
		{"/case", "case"},
		{"/Case", "Case~2"}, // some file systems don't tell them apart
		{"/a?b", "a_b~2"},
		{"/a!b", "a_b~3"},
		{"/case", "case"},
	} {
		if c.topic == "/a?b" {
			f.names["first"] = "a_b"
		}
		if got := f.place(c.topic); got != c.want || !filepath.IsLocal(got) {
			t.Errorf("%q: %q, want %q", c.topic, got, c.want)
		}
	}
}

// FuzzCloud checks that what cloudFields accepts can be written, and is bounded by the data.
func FuzzCloud(f *testing.F) {
	head := msgs.PointCloudHead{Height: 1, Width: 2, PointStep: 8, RowStep: 16, DataLen: 16, Fields: []msgs.PointField{
		{Name: "x", Datatype: msgs.PointFloat32, Count: 1}, {Name: "rgb", Offset: 4, Datatype: msgs.PointFloat32, Count: 1}}}
	f.Add(append(msgs.Marshal(&head), make([]byte, 17)...))
	head.Height, head.Width, head.RowStep = math.MaxUint32, 0, 0
	f.Add(append(msgs.Marshal(&head), make([]byte, 17)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h msgs.PointCloudHead
		d := msgs.NewDecoder(data)
		d.Message(&h)
		points := d.Raw(int(h.DataLen))
		if d.Err() != nil {
			return
		}
		fields, err := cloudFields(&h)
		if err != nil {
			return
		}
		if err := writeCloud(io.Discard, &h, fields, points); err != nil {
			t.Error(err)
		}
	})
}
