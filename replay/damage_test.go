package replay

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/test/samplebag"
)

// writeDamaged makes a bag with a chunk for each message, in which those whose number is in damaged can't be read.
func writeDamaged(t *testing.T, list []raw, damaged ...int) *bagstore.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.bag")
	w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 1})
	for _, r := range list {
		c := samplebag.Topic(r.topic, r.typ)
		c.Latching = strings.Contains(r.topic, "latched") || strings.Contains(r.topic, "static")
		w.Put(c, r.at, r.data)
	}
	w.Done()
	for _, i := range damaged {
		samplebag.Spoil(t, path, i)
	}
	return samplebag.Open(t, path)
}

// TestDamagedBeforeTheStart: a static or latched message that can't be read costs no other one.
func TestDamagedBeforeTheStart(t *testing.T) {
	messages := func(at bagstore.Time, topics ...string) (list []raw) {
		for i, topic := range topics {
			list = append(list, raw{at, topic, "std_msgs/String", text(fmt.Sprint(i))})
		}
		return append(list, raw{bag0.Add(sec), "/a", "std_msgs/String", text("a")})
	}
	transform := func(i int, child string) raw {
		return raw{bag0.Add(time.Duration(i)), "/tf_static", "tf2_msgs/TFMessage", transforms(child)}
	}
	for name, c := range map[string]struct {
		list    []raw
		damaged []int
		o       Settings
		want    string
	}{
		"static messages": {messages(statics, "/s0", "/s0", "/s0"), []int{1}, Settings{}, `
			+0s /s0 0
			+0s /s0 2
			+0s /a a`},
		"latched messages": {messages(bag0, "/latched0", "/latched1", "/latched2"), []int{1}, Settings{Start: moment("0.5")}, `
			+0s /latched0 0
			+0s /latched2 2
			+0s /a a`},
		"a latched message after others": {messages(bag0, "/latched", "/latched", "/latched", "/latched"), []int{2, 3}, Settings{Start: moment("0.5")}, `
			+0s /latched 1
			+0s /a a`},
		"static transforms": {[]raw{transform(0, "x"), transform(1, "y"), transform(2, "z"), {bag0.Add(sec), "/a", "std_msgs/String", text("a")}}, []int{1}, Settings{Start: moment("0.5")}, `
			+0s /tf_static x
			+0s /tf_static z
			+0s /a a`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.o, writeDamaged(t, c.list, c.damaged...))
			expect(t, r.run(t), c.want)
			if p := r.Problems(); len(p) == 0 || slices.ContainsFunc(p, func(text string) bool { return !strings.Contains(text, "messages: ") }) {
				t.Errorf("problems %q", p)
			}
		})
	}
}
