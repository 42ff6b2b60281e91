package recording

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/test/need"
)

const sample = "../../test/data/librealsense/sw_small_lz4.bag"

// writeMCAP copies a bag to MCAP with the reference library.
func writeMCAP(t testing.TB, path string, b *bagstore.Recording, o mcap.WriterOptions) {
	t.Helper()
	f, err := os.Create(path)
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // closed below
	w, err := mcap.NewWriter(f, &o)
	need.Must(t, err)
	need.Must(t, w.WriteHeader(&mcap.Header{Profile: "ros1"}))
	for _, c := range b.Connections() {
		id := uint16(c.ID + 1)
		need.Must(t, w.WriteSchema(&mcap.Schema{ID: id, Name: c.Type, Encoding: "ros1msg", Data: []byte(c.Definition)}))
		need.Must(t, w.WriteChannel(&mcap.Channel{ID: id, SchemaID: id, Topic: c.Topic, MessageEncoding: "ros1", Metadata: map[string]string{"md5sum": c.MD5}}))
	}
	v := b.View(bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		need.Must(t, w.WriteMessage(&mcap.Message{ChannelID: uint16(m.Conn.ID + 1), LogTime: uint64(m.Time), Data: m.Data}))
	}
	need.Must(t, w.Close())
	need.Must(t, f.Close())
}

// same compares two lists of messages. Messages with equal times may be in any order.
func same(a, b []listed) bool {
	order := func(x, y listed) int {
		if x.time != y.time {
			return int(x.time - y.time)
		}
		if c := strings.Compare(x.topic, y.topic); c != 0 {
			return c
		}
		if x.sum < y.sum {
			return -1
		}
		return 1
	}
	a, b = slices.SortedFunc(slices.Values(a), order), slices.SortedFunc(slices.Values(b), order)
	return slices.Equal(a, b)
}

// TestMCAP copies a bag to MCAP files of every kind and reads them back.
func TestMCAP(t *testing.T) {
	b := open(t, sample)
	want := list(t, b)
	for name, o := range map[string]mcap.WriterOptions{
		"unchunked":      {},
		"unchunked, crc": {IncludeCRC: true},
		"no summary":     {SkipStatistics: true, SkipRepeatedChannelInfos: true, SkipRepeatedSchemas: true, SkipSummaryOffsets: true},
		"no chunk index": {Chunked: true, ChunkSize: 100_000, SkipChunkIndex: true},
		"plain":          {Chunked: true, ChunkSize: 100_000},
		"lz4":            {Chunked: true, ChunkSize: 100_000, Compression: mcap.CompressionLZ4, IncludeCRC: true},
		"zstd":           {Chunked: true, ChunkSize: 100_000, Compression: mcap.CompressionZSTD, IncludeCRC: true},
		"no index": {Chunked: true, ChunkSize: 100_000, Compression: mcap.CompressionZSTD, SkipMessageIndexing: true, SkipChunkIndex: true,
			SkipStatistics: true, SkipRepeatedChannelInfos: true, SkipRepeatedSchemas: true, SkipSummaryOffsets: true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x")
			writeMCAP(t, path, b, o)
			m := open(t, path)
			if got := list(t, m); !same(got, want) {
				t.Errorf("%d messages aren't the %d of the bag", len(got), len(want))
			}
			for _, c := range m.Connections() {
				if c.Type == "" || c.MD5 == "" {
					t.Errorf("connection %+v", c)
				}
			}
			rep, err := Check(t.Context(), m, bagstore.CheckOptions{})
			if err != nil || rep.Messages != uint64(len(want)) || rep.Outcome != bagstore.Sound {
				t.Errorf("check: %v %v %v", err, rep.Outcome, rep.Notes)
			}
		})
	}
}

// TestMCAPCut cuts a file at many offsets and checks that whole messages are read and the loss is
// noted.
func TestMCAPCut(t *testing.T) {
	b := open(t, sample)
	want := list(t, b)
	for _, kind := range []mcap.CompressionFormat{mcap.CompressionNone, mcap.CompressionLZ4, mcap.CompressionZSTD} {
		path := filepath.Join(t.TempDir(), "whole")
		writeMCAP(t, path, b, mcap.WriterOptions{Chunked: true, ChunkSize: 300_000, Compression: kind})
		whole, err := os.ReadFile(path)
		need.Must(t, err)
		last := -1
		for _, part := range []float64{0.1, 0.3, 0.55, 0.8, 0.99} {
			cut := filepath.Join(t.TempDir(), "cut")
			need.Must(t, os.WriteFile(cut, whole[:int(part*float64(len(whole)))], 0o600))
			m := open(t, cut)
			got := list(t, m)
			if len(got) < last || len(got) > len(want) || part > 0.3 && len(got) == 0 {
				t.Errorf("%q cut at %v: %d messages after %d of %d", kind, part, len(got), last, len(want))
			}
			last = len(got)
			if len(m.Notes()) == 0 {
				t.Errorf("%q cut at %v: nothing is said", kind, part)
			}
		}
	}
}

// TestROS2MCAP reads MCAP files written by ROS 2.
func TestROS2MCAP(t *testing.T) {
	m := open(t, need.Bag(t, "db3/public/rosbag2_talker.mcap"))
	counts := make(map[string]int)
	for _, l := range list(t, m) {
		counts[l.topic]++
	}
	if counts["/rosout"] != 10 || counts["/topic"] != 10 || len(m.Connections()) != 3 || len(m.Notes()) != 0 {
		t.Errorf("%v, %d topics, %v", counts, len(m.Connections()), m.Notes())
	}
}

// mcapOptions are rosbag2's options.
var mcapOptions = mcap.WriterOptions{Chunked: true, ChunkSize: 768 << 10, Compression: mcap.CompressionZSTD}
