package rewrite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// TestWholeChunks checks that copying stored chunks yields the messages and connections that copying
// one by one does, in the same order, also for equal times.
func TestWholeChunks(t *testing.T) {
	whole, chunks := 0, 0
	for seed := range uint64(24) {
		w, n := wholeChunks(t, seed)
		whole, chunks = whole+w, chunks+n
	}
	if whole < chunks/4 || whole == chunks {
		t.Errorf("%d of %d chunks stayed whole", whole, chunks)
	}
}

func wholeChunks(t *testing.T, seed uint64) (whole, chunks int) {
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(seed, 0))
	kinds := []bagstore.Compression{bagstore.None, bagstore.None, bagstore.LZ4, bagstore.LZ4, bagstore.BZ2} // BZ2 takes long
	kind := kinds[rnd.IntN(len(kinds))]
	var bags []*bagstore.Recording
	for i := range 1 + rnd.IntN(3) {
		bags = append(bags, open(t, randomBag(t, rnd, filepath.Join(dir, fmt.Sprint(i)), kind), rnd.IntN(4) == 0))
	}
	o := Options{Options: bagstore.Options{Compression: kind, NoSync: true, Overwrite: true}, Filter: bagstore.Filter{Latched: rnd.IntN(2) == 0}}
	if rnd.IntN(4) == 0 {
		o.Compression = kinds[rnd.IntN(len(kinds))]
	}
	if rnd.IntN(3) == 0 {
		o.Exclude = bagstore.Patterns{regexp.MustCompile(fmt.Sprintf("^/topic_%d$", rnd.IntN(5)))}
	}
	if rnd.IntN(2) == 0 {
		o.Start = bagstore.Time(1e9 + rnd.Int64N(1e9))
	}
	if rnd.IntN(2) == 0 {
		o.End = bagstore.Time(2e9 + rnd.Int64N(1e9))
	}
	name := fmt.Sprintf("seed %d, %d bags, %+v", seed, len(bags), o.Filter)
	got, n, res := merged(t, name, bags, filepath.Join(dir, "whole"), o)
	one := o
	one.Keep = func(bagstore.Message) (bool, error) { return true, nil }
	want, _, single := merged(t, name, bags, filepath.Join(dir, "single"), one)
	same(t, name, got, want)
	if res.Messages != single.Messages || res.Latched != single.Latched || single.Whole != 0 {
		t.Errorf("%s: %+v, one by one %+v", name, res, single)
	}
	splitWhole(t, rnd, name, bags[0], filepath.Join(dir, "part"), o)
	return res.Whole, n
}

// splitWhole compares the parts of a bag with those made message by message.
func splitWhole(t *testing.T, rnd *rand.Rand, name string, b *bagstore.Recording, prefix string, o Options) {
	t.Helper()
	so := SplitOptions{Options: o, RepeatLatched: rnd.IntN(2) == 0}
	switch rnd.IntN(3) {
	case 0:
		so.Messages = 20 + rnd.Uint64N(200)
	case 1:
		so.Duration = time.Duration(100+rnd.Int64N(900)) * time.Millisecond
	default:
		so.Size = 4117 + rnd.Int64N(30_000)
	}
	name += fmt.Sprintf(", split by %d, %v, %d", so.Messages, so.Duration, so.Size)
	parts := func(kind string) (list []Part, content [][]string) {
		list, err := Split(t.Context(), b, func(i int) string { return fmt.Sprint(prefix, kind, i) }, so)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range list {
			content = append(content, contentOf(t, list[i].Path))
			list[i].Path, list[i].Size, list[i].Whole = "", 0, 0
		}
		return list, content
	}
	list, got := parts("whole")
	so.ChunkSize = 1000 // nothing stays whole
	singles, want := parts("single")
	if so.Size > 0 { // the sizes differ
		if so.RepeatLatched || so.Latched {
			return
		}
		same(t, name, slices.Concat(got...), slices.Concat(want...))
		return
	}
	if !slices.Equal(list, singles) {
		t.Errorf("%s: parts %+v, one by one %+v", name, list, singles)
	}
	for i := range min(len(got), len(want)) {
		same(t, fmt.Sprint(name, ", part ", i), got[i], want[i])
	}
}

// randomBag writes a bag with overlapping, unordered chunks and many messages of equal times.
func randomBag(t *testing.T, rnd *rand.Rand, path string, kind bagstore.Compression) string {
	t.Helper()
	w := samplebag.Create(t, path, bagstore.Options{Compression: kind, ChunkSize: 200 + rnd.IntN(3000), Checkpoint: -1})
	var ids []uint32
	for i := range 1 + rnd.IntN(5) {
		c := stockbag.StringType(fmt.Sprintf("/topic_%d", i))
		c.CallerID, c.Latching = fmt.Sprintf("/node_%d", rnd.IntN(3)), rnd.IntN(6) == 0
		for range 1 + rnd.IntN(2) { // several publishers, some of them equal
			ids = append(ids, w.Add(c))
		}
	}
	grid := []int64{1, 1e6, 20e6, 200e6}[rnd.IntN(4)]
	jitter := 1 + rnd.Int64N([]int64{1, 20e6, 500e6}[rnd.IntN(3)])
	n := 50 + rnd.IntN(400)
	for i := range n {
		at := 1e9 + int64(i)*2e9/int64(n) + rnd.Int64N(jitter)
		need.Must(t, w.Write(ids[min(rnd.IntN(len(ids)), rnd.IntN(len(ids)))], bagstore.Time(at/grid*grid), stockbag.Text(i, rnd.IntN(200))))
	}
	w.Done()
	return path
}

func open(t *testing.T, path string, scan bool) *bagstore.Recording {
	t.Helper()
	b, err := rosbag.Open(path, bagstore.OpenOptions{Sequential: true, Scan: scan})
	need.Must(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// merged merges bags, checks the output, and returns its content and number of chunks.
func merged(t *testing.T, name string, bags []*bagstore.Recording, out string, o Options) ([]string, int, *Part) {
	t.Helper()
	res, err := Merge(t.Context(), bags, out, o)
	if err != nil {
		t.Fatal(name, err)
	}
	rep, err := rosbag.FileOf(open(t, out, false)).Check(t.Context(), bagstore.CheckOptions{})
	if err != nil || rep.Outcome != bagstore.Sound || rep.Messages != res.Messages {
		t.Fatalf("%s: %+v %v", name, rep, err)
	}
	if slices.ContainsFunc(rep.Notes, func(n bagstore.Note) bool { return strings.Contains(n.Text, "described only after") }) {
		t.Errorf("%s: %v", name, rep.Notes)
	}
	seen := make(map[string]bool)
	for _, c := range open(t, out, false).Connections() {
		key := fmt.Sprint(c.Topic, c.Type, c.MD5, c.CallerID, c.Latching)
		if seen[key] {
			t.Errorf("%s: equal connections didn't become one: %s", name, key)
		}
		seen[key] = true
	}
	return contentOf(t, out), rep.Chunks, res
}

// contentOf returns the messages of a bag in time order by its index, which must agree with a scan.
func contentOf(t *testing.T, path string) []string {
	t.Helper()
	var list [2][]string
	for i, scan := range []bool{false, true} {
		b := open(t, path, scan)
		samplebag.Each(t, func(m bagstore.Message) {
			c := *m.Conn
			c.ID = 0
			list[i] = append(list[i], fmt.Sprintf("%d %s %v", m.Time, stockbag.Sum(m.Data), c))
		}, b)
	}
	same(t, path+" by scan", list[1], list[0])
	return list[0]
}

func same(t *testing.T, name string, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: message %d is\n%s, want\n%s", name, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d messages, want %d", name, len(got), len(want))
	}
}

// TestWholeChunksOfOthers checks that stock readers read copies of other programs' recordings.
func TestWholeChunksOfOthers(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(need.Bag(t, "public/test_sample.bag")), "..", "*", "*.bag"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	whole := 0
	for _, path := range paths {
		b, err := rosbag.Open(path, bagstore.OpenOptions{})
		if err != nil {
			continue
		}
		defer b.Close()
		heads, _, err := b.Layouts()
		if err != nil || len(heads) == 0 {
			continue
		}
		third := b.End().Sub(b.Start()) / 3
		for i, f := range []bagstore.Filter{{}, {Start: b.Start() + bagstore.Time(third), End: b.End() - bagstore.Time(third), Latched: true}} {
			name, dir := fmt.Sprint(filepath.Base(path), " ", i), t.TempDir()
			o := Options{Options: bagstore.Options{Compression: heads[len(heads)-1].Compression, NoSync: true}, Filter: f, Damaged: func(error) {}}
			got, _, res := merged(t, name, []*bagstore.Recording{b}, filepath.Join(dir, "whole"), o)
			o.Keep = func(bagstore.Message) (bool, error) { return true, nil }
			want, _, _ := merged(t, name, []*bagstore.Recording{b}, filepath.Join(dir, "single"), o)
			same(t, name, got, want)
			whole += res.Whole
			if out := filepath.Join(dir, "whole"); res.Whole > 0 {
				stockbag.Agree(t, out, samplebag.Read(t, out, bagstore.OpenOptions{}))
			}
		}
	}
	if whole == 0 {
		t.Error("no chunk stayed whole")
	}
}

// TestWholeChunkDamaged checks that damage in a chunk is found although the chunk would be copied
// unchanged.
func TestWholeChunkDamaged(t *testing.T) {
	for _, kind := range []bagstore.Compression{bagstore.LZ4, bagstore.BZ2} {
		in := filepath.Join(t.TempDir(), string(kind))
		samplebag.Small.Write(t, in, bagstore.Options{ChunkSize: 4000, Compression: kind})
		b := open(t, in, false)
		heads, _, err := b.Layouts()
		need.Must(t, err)
		raw, err := os.ReadFile(in)
		need.Must(t, err)
		h := heads[len(heads)/2]
		raw[h.DataPos+h.Stored*2/3] ^= 1
		need.Must(t, os.WriteFile(in, raw, 0o600))
		o := Options{Options: bagstore.Options{Compression: kind}}
		if _, err := Merge(t.Context(), []*bagstore.Recording{open(t, in, false)}, in+".out", o); err == nil {
			t.Errorf("%s: the damage is copied", kind)
		}
		lost := 0
		o.Damaged = func(error) { lost++ }
		chunk := b.Blocks()[len(heads)/2]
		res, err := Merge(t.Context(), []*bagstore.Recording{open(t, in, false)}, in+".out", o)
		if want := samplebag.Small.Messages - int(chunk.Messages()); err != nil || res.Messages != uint64(want) || uint64(lost) != chunk.Messages() || res.Whole == 0 {
			t.Errorf("%s: %+v, %d lost, %v", kind, res, lost, err)
		}
	}
}
