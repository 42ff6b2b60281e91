package naming

import (
	"bytes"
	"testing"

	"rsros/camdriver"
	"rsros/msgs"
)

// With infra_rgb, grey infrared images become rgb8, without padding; colour is unchanged.
func TestInfraRGB(t *testing.T) {
	left := camdriver.Profile{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: 2, Height: 2}
	whole := left
	whole.Stream.Index = 0
	whole.Format = camdriver.RGB8
	snap := camdriver.DeviceSnapshot{Streams: []camdriver.StreamSnapshot{{Profile: left}, {Profile: whole}}}
	l := newLayout(WrapperOptions{Camera: "eye", InfraRGB: true}, snap, 1<<20)
	st := l.streams[left.Stream]
	f := camdriver.NewFrame(nil)
	f.Profile, f.Width, f.Height, f.Stride, f.Data = left, 2, 2, 3, []byte{1, 2, 99, 3, 4, 99}
	image := st.topics[len(st.topics)-1]
	m, ok := image.encode(msgs.Header{}, f)
	if !ok || image.topic != "eye/infra1/image_rect_raw" || wrapperEncoding(st.format) != "rgb8" {
		t.Fatalf("%s %s: %v", image.topic, st.format, ok)
	}
	var head msgs.ImageHead
	head.Decode(msgs.NewDecoder(m.Head))
	if head.Encoding != "rgb8" || head.Step != 6 || !bytes.Equal(m.Body, []byte{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}) {
		t.Errorf("%+v % x", head, m.Body)
	}
	m.Owner.Release()
	if l.pool.InUse() != 0 {
		t.Error("the buffer didn't come back")
	}
	if topics := l.streams[whole.Stream].topics; topics[len(topics)-1].topic != "eye/infra/image_raw" {
		t.Errorf("the left imager as a whole is %s", topics[len(topics)-1].topic)
	}
}
