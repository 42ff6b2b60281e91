package samplebag

import (
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// Strings are the messages of a bag.
type Strings stockbag.Strings

// Small is that of package stockbag.
var Small = Strings(stockbag.Small)

// Write writes a bag, and returns its messages in time order. All readers must find them.
func (s Strings) Write(t testing.TB, path string, o bagstore.Options) []stockbag.Message {
	t.Helper()
	w := Create(t, path, o)
	list := stockbag.Strings(s).Feed(t, w.Writer)
	w.Done()
	Everywhere(t, path, list)
	return stockbag.ByTime(list)
}

// Read returns a bag's messages in time order.
func Read(t testing.TB, path string, o bagstore.OpenOptions) []stockbag.Message {
	t.Helper()
	b, err := rosbag.Open(path, o)
	need.Must(t, err)
	defer b.Close()
	list, err := stockbag.Of(b)
	need.Must(t, err)
	return list
}

// Everywhere reads a bag by its index, by a scan, and with both stock libraries if they are
// installed. Each must find all of want.
func Everywhere(t testing.TB, path string, want []stockbag.Message) {
	t.Helper()
	want = stockbag.ByTime(want)
	stockbag.Compare(t, path+" by index", Read(t, path, bagstore.OpenOptions{}), want)
	stockbag.Compare(t, path+" by scan", Read(t, path, bagstore.OpenOptions{Scan: true}), want)
	stockbag.Agree(t, path, want)
}
