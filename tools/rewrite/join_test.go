package rewrite

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// TestJoin checks that latched messages repeated at the start of parts are written once, in any order
// of the parts, and that those published again stay.
func TestJoin(t *testing.T) {
	type message struct {
		topic string
		sec   int
		text  string
		leave bool
	}
	parts := [][]message{
		{{"/map", 10, "a", false}, {"/static", 10, "s", false}, {"/empty", 10, "", false}, {"/count", 11, "1", false}, {"/map", 15, "b", false}},
		{{"/map", 20, "b", true}, {"/static", 20, "s", true}, {"/empty", 20, "", true}, {"/count", 20, "1", false}, {"/map", 21, "b", false}},
		{{"/map", 30, "c", false}, {"/static", 30, "s", true}, {"/late", 30, "s", false}, {"/count", 31, "1", false}},
	}
	for _, kind := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		var bags []*bagstore.Recording
		var want []stockbag.Message
		for i, list := range parts {
			path := filepath.Join(t.TempDir(), fmt.Sprint(i))
			w := samplebag.Create(t, path, bagstore.Options{Compression: kind})
			for _, m := range list {
				c := stockbag.StringType(m.topic)
				c.CallerID, c.Latching = "/node", m.topic != "/count"
				data := append([]byte{byte(len(m.text)), 0, 0, 0}, m.text...)
				if m.topic == "/empty" {
					data = nil
				}
				at := bagstore.Time(m.sec) * 1e9
				w.Put(c, at, data)
				if !m.leave {
					want = append(want, stockbag.NewMessage(m.topic, at, data))
				}
			}
			w.Done()
			bags = append(bags, open(t, path, false))
		}
		for range 2 {
			out := filepath.Join(t.TempDir(), "joined.bag")
			o := Options{Options: bagstore.Options{Compression: kind}}
			Join(&o)
			if _, err := Merge(t.Context(), bags, out, o); err != nil {
				t.Fatal(err)
			}
			stockbag.Compare(t, out, samplebag.Read(t, out, bagstore.OpenOptions{}), want)
			slices.Reverse(bags)
		}
	}
}
