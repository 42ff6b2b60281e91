package server

import (
	"fmt"
	"net/http"
	"testing"
)

var answers = map[string]struct {
	status  int
	text    string
	off, n  int64
	size    int64
	refused bool
}{
	"part":          {206, "bytes 10-19/100", 10, 10, 100, false},
	"last part":     {206, "bytes 90-99/100", 90, 64, 100, false},
	"upper case":    {206, "Bytes 0-0/1", 0, 1, 1, false},
	"whole":         {200, "bytes 10-19/100", 10, 10, 0, true},
	"none":          {206, "", 10, 10, 0, true},
	"other begin":   {206, "bytes 11-19/100", 10, 10, 0, true},
	"short":         {206, "bytes 10-18/100", 10, 10, 0, true},
	"long":          {206, "bytes 10-29/100", 10, 10, 0, true},
	"past the end":  {206, "bytes 90-99/95", 90, 10, 0, true},
	"backwards":     {206, "bytes 10-9/10", 10, 10, 0, true},
	"no size":       {206, "bytes 10-19/*", 10, 10, 0, true},
	"negative":      {206, "bytes 10--1/-1", 10, 10, 0, true},
	"signs":         {206, "bytes +10-19/100", 10, 10, 0, true},
	"too large":     {206, "bytes 10-19/99999999999999999999", 10, 10, 0, true},
	"more after it": {206, "bytes 10-19/100, 20-29/100", 10, 10, 0, true},
	"other unit":    {206, "items 10-19/100", 10, 10, 0, true},
}

func TestSize(t *testing.T) {
	for name, c := range answers {
		size, err := Size(http.Header{"Content-Range": {c.text}}, c.status, c.off, c.n)
		if size != c.size && !c.refused || (err != nil) != c.refused {
			t.Errorf("%s: size %d, %v", name, size, err)
		}
	}
}

// FuzzSize checks that exactly the answers that name the requested range are accepted.
func FuzzSize(f *testing.F) {
	for _, c := range answers {
		f.Add(c.status, c.text, c.off, c.n)
	}
	f.Fuzz(func(t *testing.T, status int, text string, off, n int64) {
		off, n = off&(1<<62-1), n&(1<<61-1)|1
		size, err := Size(http.Header{"Content-Range": {text}}, status, off, n)
		if err != nil {
			return
		}
		if to := min(off+n, size) - 1; status == http.StatusOK || size <= off || len(text) != len(fmt.Sprintf("bytes %d-%d/%d", off, to, size)) {
			t.Errorf("%d %q for %d bytes at %d: size %d", status, text, n, off, size)
		}
	})
}
