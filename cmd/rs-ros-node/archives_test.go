package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/rosbag"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// letters are random ones: other bytes, escaped, take minutes to print with the race detector.
var letters = sync.OnceValue(func() []byte {
	b := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8([32]byte{3}).Read(b) // never fails
	for i := range b {
		b[i] = 'A' + b[i]%26
	}
	return b
})

// longBag writes 100 s of 10 messages a second of a size, of topics that change every 10 s, and of latched ones one at the
// beginning.
func longBag(t *testing.T, path string, c bagstore.Compression, size int, latched ...string) {
	t.Helper()
	var conns []bagstore.Connection
	for i := range 10 {
		conns = append(conns, stockbag.StringType(fmt.Sprint("/t", i)))
	}
	for _, topic := range latched {
		conn := stockbag.StringType(topic)
		conn.Latching = true
		conns = append(conns, conn)
	}
	writeBag(t, path, bagstore.Options{Compression: c, Checkpoint: -1}, conns, func(write func(int, bagstore.Time, []byte)) {
		const start = 1_600_000_000_000_000_000
		for i := range latched {
			write(10+i, start, []byte{4, 0, 0, 0, 'o', 'n', 'c', 'e'})
		}
		data := make([]byte, size)
		for i := range 1000 {
			copy(data, letters()[i*70_001%(1<<20-size):]) // no two alike are within the reach of LZ4
			binary.LittleEndian.PutUint32(data, uint32(size-4))
			write(i/100, start+bagstore.Time(i)*100_000_000, data)
		}
	})
}

// TestOnlyWhatIsNeeded: commands fetch only what they read, by the server's own count, and yield
// what they yield of a local file.
func TestOnlyWhatIsNeeded(t *testing.T) {
	b := bucket.Start(t)
	dir := t.TempDir()
	longBag(t, filepath.Join(dir, "long.bag"), bagstore.None, 20_000)
	longBag(t, filepath.Join(dir, "latched.bag"), bagstore.None, 4_000, "/tf_static")
	sdk, err := os.ReadFile(samplebag.SDK(t, "sw_small_raw.bag", "walk.bag"))
	if err != nil || os.WriteFile(filepath.Join(dir, "sdk.bag"), sdk, 0o600) != nil {
		t.Fatal(err)
	}
	type limit struct {
		requests int
		bytes    int64
	}
	commands := map[string][]string{
		"info":    {"info", "IN"},
		"json":    {"info", "--json", "IN"},
		"cat":     {"cat", "IN", "--topics", "/t2,/t7"},
		"cut":     {"filter", "IN", "-o", "OUT", "-s", "42", "--end", "52", "-f"},
		"all":     {"cat", "IN", "--nostr"},
		"convert": {"convert", "IN", "-o", "OUT", "-f"},
	}
	for file, limits := range map[string]map[string]limit{
		"long.bag":    {"info": {12, 1 << 20}, "json": {12, 1 << 20}, "cat": {15, 5 << 20}, "cut": {20, 4 << 20}, "all": {30, 21 << 20}},
		"long.mcap":   {"info": {12, 1 << 20}, "json": {12, 1 << 20}, "cat": {20, 27 << 19}, "cut": {40, 5 << 20}}, // how many ranges are merged depends on the machine
		"long.db3":    {"info": {20, 21 << 20}, "cut": {20, 21 << 20}, "convert": {20, 21 << 20}},                  // fetched whole, and once
		"sdk.bag":     {"info": {10, 3 << 19}},                                                                     // of 2.3 MB; with the first frame
		"latched.db3": {"cut": {20, 9 << 19}},
	} {
		local, format := filepath.Join(dir, file), filepath.Ext(file)
		if code, _, stderr := command(t, "convert", "-f", strings.TrimSuffix(local, format)+".bag", "-o", local); format != ".bag" && code != exitOK {
			t.Fatal(stderr)
		}
		for name, most := range limits {
			address := b.Put(name+file, local)
			out := filepath.Join(dir, name+".out.bag")
			run := func(in string) (string, []byte) {
				args := append([]string(nil), commands[name]...)
				for i := range args {
					args[i] = strings.Replace(strings.Replace(args[i], "IN", in, 1), "OUT", out, 1)
				}
				code, stdout, stderr := command(t, append(args, "--log-level", "debug")...)
				if code != exitOK || strings.Contains(stderr+stdout, bucket.Secret) {
					t.Errorf("%s of %s: exit code %d\n%s", name, in, code, stderr)
				}
				written, _ := os.ReadFile(out) // nil: it writes none
				return strings.ReplaceAll(stdout, in, "IN"), written
			}
			want, wantFile := run(local)
			b.Forget()
			got, gotFile := run(address)
			requests, n := b.Bytes()
			switch { // it reads few chunk headers of a file at an address
			case name == "info":
				want, got = strings.SplitN(want, "compression", 2)[0], strings.SplitN(got, "compression", 2)[0]
			case name == "json":
				want, got = strings.SplitN(want, `"compressions"`, 2)[0], strings.SplitN(got, `"compressions"`, 2)[0]
			}
			if got != want || !bytes.Equal(gotFile, wantFile) {
				t.Errorf("%s of %s: other results: %d and %d bytes of text, %d and %d of a file", name, file, len(got), len(want), len(gotFile), len(wantFile))
			}
			if t.Logf("%s of %s: %d requests, %d bytes", name, file, requests, n); requests > most.requests || n > most.bytes {
				t.Errorf("%s of %s: %d requests and %d bytes, at most %d and %d", name, file, requests, n, most.requests, most.bytes)
			}
		}
	}
}

// TestLeadFromBucket: what a player looks at ahead of time comes with large ranges.
func TestLeadFromBucket(t *testing.T) {
	b := bucket.Start(t)
	local := filepath.Join(t.TempDir(), "long.bag")
	longBag(t, local, bagstore.None, 40_000)
	bag, err := rosbag.Open(b.Put("lead.bag", local), bagstore.OpenOptions{Context: t.Context()})
	need.Must(t, err)
	defer bag.Close()
	b.Forget()
	n := 0
	for m, err := range bag.View(bagstore.Query{Lead: time.Hour}).Messages() {
		if n++; err != nil || len(m.Data) != 40_000 {
			t.Fatalf("message %d: %d bytes, %v", n, len(m.Data), err)
		}
	}
	if requests, _ := b.Bytes(); n != 1000 || requests > 15 {
		t.Errorf("%d messages, %d requests for %d chunks", n, requests, len(bag.Blocks()))
	}
}

// TestPlaceFails checks that a server that fails, whichever request is the first, isn't a damaged file. info opens an .mcap
// of librealsense twice.
func TestPlaceFails(t *testing.T) {
	b, dir := bucket.Start(t), t.TempDir()
	long, sdk, mcap := filepath.Join(dir, "long.bag"), samplebag.Data(t, "sw_small_raw.bag"), filepath.Join(dir, "walk.mcap")
	longBag(t, long, bagstore.LZ4, 4_000)
	want(t, exitOK, "convert", sdk, "-o", mcap, "--lz4")
	for _, c := range []struct{ path, line string }{
		{long, "info"}, {long, "check"}, {long, "check --json"}, {long, "cat --topics /t2"}, {sdk, "check"}, {mcap, "info --json"},
	} {
		for first := 1; ; first++ {
			b.Inject(nil)
			address := b.Put(fmt.Sprintf("%d %s %s", first, c.line, filepath.Base(c.path)), c.path)
			b.Inject(func(_ *http.Request, n int) bucket.Fault {
				if n >= first {
					return bucket.Expired
				}
				return bucket.None
			})
			code, stdout, stderr := command(t, append(strings.Fields(c.line), address)...)
			if code == exitOK && first > 1 {
				break
			}
			if code != exitFailed || !strings.Contains(stdout+stderr, "ExpiredToken") || strings.Contains(stdout, "loss") {
				t.Fatalf("%s of %s, from request %d: exit code %d\n%s%s", c.line, c.path, first, code, stdout, stderr)
			}
		}
	}
	b.Inject(nil)
	code, stdout, _ := command(t, "check", "--json", b.Put("sound.bag", long))
	var res struct {
		Outcome string
		Traffic place.Traffic
	}
	if err := json.Unmarshal([]byte(stdout), &res); err != nil || code != exitOK || res.Traffic.Requests == 0 || res.Traffic.Fetched < res.Traffic.Needed {
		t.Errorf("check: exit code %d, %v\n%s", code, err, stdout)
	}
}

// TestSignedAddress: commands read an address with a signature in its query as often as they like, and show it
// neither on their streams nor in what they write.
func TestSignedAddress(t *testing.T) {
	b, dir := bucket.Start(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	local := filepath.Join(t.TempDir(), "long.bag")
	longBag(t, local, bagstore.None, 1_000)
	try := func(want int, args ...string) {
		t.Helper()
		code, stdout, stderr := command(t, append(args, "--log-level", "debug")...)
		if code != want || strings.Contains(stdout+stderr, "X-Amz") {
			t.Errorf("%.100q: exit code %d, want %d\n%.2000s\n%.2000s", args, code, want, stdout, stderr)
		}
	}
	for _, ext := range []string{".bag", ".db3", ".mcap"} {
		file := strings.TrimSuffix(local, ".bag") + ext
		if ext != ".bag" {
			want(t, exitOK, "convert", local, "-o", file, "--quiet")
		}
		b.Put("long"+ext, file)
		signed := b.Signed(t, "long"+ext)
		for _, args := range [][]string{
			{"info"}, {"info", "--json", "--realsense", "--missing"}, {"info", "--realsense", "--missing", "--freq"}, {"info", "--yaml"}, {"check"}, {"check", "--json"}, {"cat", "--topics", "/t2"}, {"catalog"},
		} {
			try(exitOK, append(args, signed)...)
		}
		try(exitOK, "filter", signed, "-o", in(ext+".out"), "-f", "--start", "5", "--end", "6")
		try(exitOK, "convert", signed, "-o", in(ext+".converted.mcap"))
		try(exitOK, "merge", signed, "-o", in(ext+".merged.bag"))
		try(exitOK, "recover", signed, "-o", in("recovered"+ext))
		try(exitFailed, "check", strings.Replace(signed, "X-Amz-Signature=", "X-Amz-Signature=0", 1))
	}
	b.Put("walk.bag", "../../test/data/librealsense/sw_small_lz4.bag")
	b.Put("robot.bag", samplebag.Robot(t, "robot.bag"))
	walk, robot, absent := b.Signed(t, "walk.bag"), b.Signed(t, "robot.bag"), b.Signed(t, "absent.bag")
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitOK, []string{"export", walk, "-o", in("walk")}}, {exitOK, []string{"export", robot, "-o", in("robot")}}, {exitOK, []string{"convert", walk, "-o", in("walk.mcap")}},
		{exitOK, []string{"export", walk, "--as", "tum", "-o", in("tum")}}, {exitOK, []string{"export", walk, "--as", "tum", "-o", in("tum")}},
		{exitOK, []string{"process", walk, "-o", in("processed.bag"), "--filters", "decimation"}}, {exitFailed, []string{"process", robot, "-o", in("none.bag"), "--filters", "decimation"}},
		{exitOK, []string{"compress", walk, "-o", in("compressed/")}}, {exitUsage, []string{"reindex", walk}}, {exitFailed, []string{"split", walk, "--split-duration", "1"}},
		{exitOK, []string{"check", "--rules-from", robot}}, {exitIncomplete, []string{"catalog", walk, absent, "-o", in("all.jsonl")}},
		{exitFailed, []string{"batch", "check", walk, "-o", in("batch")}}, {exitUsage, []string{"batch", "check", dir, "-o", in("batch"), "--", walk}},
		{exitFailed, []string{"live", "--device=" + robot, "--master", "embedded"}}, {exitFailed, []string{"live", "_device:=" + robot, "--master", "embedded"}}, {exitUsage, []string{"live", "--device", "sim", "--device", robot, "--camera", "a", "--camera", "b", "--camera", "c"}},
		{exitFailed, []string{"play", absent}}, {exitFailed, []string{"view", absent}}, {exitFailed, []string{"usb-serve", "--device", robot}}, {exitUsage, []string{"demo", walk}},
		{exitFailed, []string{"info", strings.Replace(walk, "http", "HTTP", 1), absent}},
	} {
		try(c.code, c.args...)
	}
	for name, text := range tree(t, dir) {
		if strings.Contains(name+text, "X-Amz") {
			t.Errorf("%s has it", name)
		}
	}
}
