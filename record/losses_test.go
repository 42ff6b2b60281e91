package record

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/msgs"
	"rsros/program/work"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestCounts checks that what a recording says of itself is what its files have, and that it names the cause of everything that came
// and isn't there.
func TestCounts(t *testing.T) {
	odd := msgs.Type{Name: "odd_msgs/Odd", MD5: strings.Repeat("0", 32), Definition: "nowhere_msgs/Nothing x\n"}
	for name, c := range map[string]struct {
		o     Options
		ext   string
		typ   msgs.Type
		count int    // of messages before the end; 0: until it ends
		disk  string // its size
		lose  bool   // the file, after the first messages
		why   cause  // causes: there are no losses
	}{
		"stopped":      {count: 50, ext: extBag, why: causes},
		"stopped lz4":  {o: Options{Bag: bagstore.Options{Compression: bagstore.LZ4}}, count: 50, ext: extBag, why: causes},
		"stopped db3":  {count: 50, ext: extDB3, why: causes},
		"stopped mcap": {count: 50, ext: extMCAP, why: causes},
		"size mcap":    {o: Options{TotalSize: 1 << 20}, ext: extMCAP, why: late},
		"full mcap":    {disk: "3m", ext: extMCAP, why: failed},
		"deleted mcap": {count: 100, lose: true, ext: extMCAP, why: gone},
		"size":         {o: Options{TotalSize: 1 << 20}, ext: extBag, why: late},
		"size db3":     {o: Options{TotalSize: 1 << 20}, ext: extDB3, why: late},
		"split":        {o: Options{TotalSize: 1 << 20, Split: true}, count: 300, ext: extBag, why: causes},
		"full":         {disk: "3m", ext: extBag, why: failed},
		"full lz4":     {o: Options{Bag: bagstore.Options{Compression: bagstore.LZ4}}, disk: "3m", ext: extBag, why: failed},
		"full db3":     {disk: "3m", ext: extDB3, why: failed},
		"deleted":      {count: 100, lose: true, ext: extBag, why: gone},
		"deleted db3":  {count: 100, lose: true, ext: extDB3, why: gone},
		"left out db3": {typ: odd, count: 13, ext: extDB3, why: unfit},
		"nearly full":  {o: Options{MinSpace: 1 << 60}, count: 5, ext: extBag, why: noSpace},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.disk != "" {
				dir = need.SmallDisk(t, c.disk)
			}
			if c.typ.Name == "" {
				c.typ = msgs.MustType("std_msgs/String")
			}
			master := rig.Master(t).URI()
			_, p := advertise(t, master, ros.PublisherOptions{Topic: "/a", Type: c.typ, Queue: 10_000})
			c.o.Topics, c.o.Output = []string{"/a", "/silent"}, filepath.Join(dir, "x"+c.ext)
			o := config(t, master, c.o)
			var log bytes.Buffer
			o.Log = zerolog.New(zerolog.SyncWriter(&log))
			r, ended := start(t, o)
			peer.Await(t, "the recorder", func() bool { return p.Subscribers() == 1 })
			text := make([]byte, 8000)
			for i := range text {
				text[i] = 'a' + byte(rand.IntN(26)) // which LZ4 doesn't shorten
			}
			body := msgs.Marshal(&msgs.String{Data: string(text)})
			sent := 0
			send := func(n int) {
				for range n {
					p.Publish(msgs.Raw{Head: body})
				}
				sent += n
				peer.Await(t, "the messages", func() bool {
					return work.Closed(r.done) || r.Figures().Losses.total().Messages+Total(r.Figures()).Messages >= uint64(sent)
				})
			}
			var err error
			switch {
			case c.lose:
				send(c.count)
				awaitReadable(t, o.Output+activeSuffix, 9000)
				need.Must(t, os.Remove(o.Output+activeSuffix))
				next := partPath(filepath.Join(dir, "x"), 1, c.ext) + activeSuffix
				peer.Await(t, next, func() bool {
					send(1)
					_, err := os.Stat(next)
					return err == nil
				})
			case c.count > 0:
				send(c.count)
			default:
				for !work.Closed(r.full) {
					send(20)
				}
			}
			r.Stop()
			err = <-ended
			f := r.Figures()
			var found, topics uint64
			length := time.Duration(0)
			for _, path := range f.Paths {
				b, err := recording.Open(path, bagstore.OpenOptions{})
				need.Must(t, err)
				defer b.Close() //nolint:errcheck // only read
				found, length = found+b.MessageCount(), length+b.End().Sub(b.Start())
				topics = max(topics, uint64(len(b.Connections())))
			}
			if f.Messages != found || f.Length != length {
				t.Errorf("recorded %d messages, %v; the files have %d, %v", f.Messages, f.Length, found, length)
			}
			if want := fmt.Sprintf("%d messages of %d topic", found, topics); found != 1 && !strings.Contains(log.String(), want) {
				t.Errorf("log without %q: %s", want, log.String())
			}
			lost := f.Losses[late].Messages + f.Losses.total().Messages
			if r.topics["/a"].now.messages != found+lost && c.why != noSpace {
				t.Errorf("%d came, %d are in the files, lost are %v", r.topics["/a"].now.messages, found, f.Losses)
			}
			if c.why == causes && (lost > 0 || err != nil) || c.why < causes && f.Losses[c.why].Messages != lost {
				t.Errorf("%v: lost are %v, of which only the cause %d is expected", err, f.Losses, c.why)
			}
			if wrong := errors.Is(err, syscall.ENOSPC) != (c.disk != ""); wrong || c.disk != "" && !strings.Contains(log.String(), "the disk is full") {
				t.Errorf("ended with %v: %s", err, log.String())
			}
		})
	}
}
