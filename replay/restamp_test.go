package replay

import (
	"fmt"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
)

func header(seq uint32, stamp bagstore.Time) []byte {
	return msgs.Marshal(&msgs.Header{Seq: seq, Stamp: msgs.Time(stamp), FrameID: "x"})
}

// TestRestamp: stamps keep their distance to the time of publishing. std_msgs/Header
// stands for every type that begins with one; nested stamps are msgs' matter.
func TestRestamp(t *testing.T) {
	b := writeRaw(t,
		raw{bag0, "/h", "std_msgs/Header", header(0, bag0-3*ms)},
		raw{bag0.Add(10 * ms), "/h", "std_msgs/Header", header(1, bag0.Add(7*ms))},
		raw{bag0.Add(20 * ms), "/h", "std_msgs/Header", header(2, 0)})
	at := func(w Wall, ago time.Duration) int64 { return int64(w) - int64(ago) }
	for _, c := range []struct {
		name string
		o    Settings
		want string
	}{
		{"off", Settings{}, fmt.Sprintf(`
			+0s /h 0 %d
			+10ms /h 1 %d
			+20ms /h 2 0`, bag0-3*ms, bag0.Add(7*ms))},
		{"on", Settings{Restamp: true}, fmt.Sprintf(`
			+0s /h 0 %d
			+10ms /h 1 %d
			+20ms /h 2 0`, at(wall0, 3*ms), at(wall0+10*ms, 3*ms))},
		{"at rate 2", Settings{Restamp: true, Rate: 2}, fmt.Sprintf(`
			+0s /h 0 %d
			+5ms /h 1 %d
			+10ms /h 2 0`, at(wall0, 3*ms), at(wall0+5*ms, 3*ms))},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, newRig(t, c.o, b).run(t), c.want) })
	}

	// On one time line the stamps of the second round go on, too.
	r := newRig(t, Settings{Loop: true, LoopMonotonic: true}, b)
	r.at(25*ms, Stop{})
	expect(t, r.run(t), fmt.Sprintf(`
		+0s /h 0 %d
		+10ms /h 1 %d
		+20ms /h 2 0
		+20ms /h 0 %d`, bag0-3*ms, bag0.Add(7*ms), bag0.Add(17*ms)))
}

// TestStamper: an image's pixels aren't copied to shift its stamp, a message with
// nested stamps is.
func TestStamper(t *testing.T) {
	parse := func(name string) *stamper {
		spec, err := msgs.Parse(name, msgs.MustType(name).Definition)
		need.Must(t, err)
		return newStamper(spec)
	}
	if parse("std_msgs/String") != nil {
		t.Error("a string has no stamp")
	}
	image := append(header(1, bag0), make([]byte, 100)...)
	head, rest, err := parse("sensor_msgs/Image").shift(nil, image, time.Second)
	if err != nil || len(head) != headStamp || &rest[0] != &image[headStamp] {
		t.Errorf("image: head %d bytes, %v", len(head), err)
	}
	if d := msgs.NewDecoder(head[4:]); d.Time() != msgs.Time(bag0)+sec {
		t.Error("the image's stamp wasn't moved")
	}
	tf := msgs.Marshal(&msgs.TFMessage{Transforms: []msgs.TransformStamped{{Header: msgs.Header{Stamp: 5 * sec}}, {Header: msgs.Header{Stamp: 6 * sec}}}})
	head, rest, err = parse("tf2_msgs/TFMessage").shift(nil, tf, -time.Second)
	var moved msgs.TFMessage
	if err != nil || len(rest) != 0 || msgs.Unmarshal(head, &moved) != nil ||
		moved.Transforms[0].Header.Stamp != 4*sec || moved.Transforms[1].Header.Stamp != 5*sec {
		t.Errorf("tf: %+v, %v", moved, err)
	}
}
