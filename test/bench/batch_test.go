package bench

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/tools/convert"
)

// The recordings of BenchmarkBatch: 1 to 8 MB, 216 MB together, bags, MCAP and .db3.
const (
	fleetItems = 48
	fleetUnit  = 100_000 // bytes of a message
)

// fleet puts recordings into the bucket, one of them torn, and returns their bytes.
func fleet(b *testing.B, store *bucket.Bucket) (size int64) {
	dir := b.TempDir()
	for i := range fleetItems {
		local := filepath.Join(dir, fmt.Sprintf("%02d.bag", i))
		recordStrings(b, local, 10*(1+i%8), fleetUnit)
		if format := []string{".bag", ".mcap", ".db3"}[i%3]; format != ".bag" {
			out := filepath.Join(dir, fmt.Sprintf("%02d%s", i, format))
			if _, err := convert.Messages(b.Context(), convert.Options{In: local, Out: out}); err != nil {
				b.Fatal(err)
			}
			local = out
		}
		st, err := os.Stat(local)
		need.Must(b, err)
		if i == fleetItems-3 { // a bag
			need.Must(b, os.Truncate(local, st.Size()/2))
		}
		size += st.Size()
		store.Put("fleet/"+filepath.Base(local), local)
	}
	return size
}

// BenchmarkBatch runs `batch check` over a fleet's recordings in 1 to 8 shards at once. Each is a process behind a link of
// its own, as on a machine of its own, but all use this machine's processors.
func BenchmarkBatch(b *testing.B) {
	store := bucket.Start(b)
	program := peer.Released(b)
	size := fleet(b, store)
	for _, rate := range []int64{4_000_000, 40_000_000} {
		for _, shards := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("%dMBps/%d", rate/1_000_000, shards), func(b *testing.B) { shard(b, store, program, rate, shards, size) })
		}
	}
}

func shard(b *testing.B, store *bucket.Bucket, program string, rate int64, shards int, size int64) {
	var links []*bucket.Proxy
	for range shards {
		p := bucket.NewProxy(b, store.Server)
		p.Link(rate, linkLatency)
		links = append(links, p)
	}
	var cpu time.Duration
	for b.Loop() {
		out := store.Address("out-" + rand.Text())
		cmds := make([]*exec.Cmd, shards)
		outputs := make([]bytes.Buffer, shards)
		var running sync.WaitGroup
		for i, p := range links {
			c := exec.Command(program, "batch", "check", store.Address("fleet"), "-o", out, "--shard", fmt.Sprintf("%d/%d", i, shards), "--jobs", "1")
			c.Env = append(append([]string{}, store.Env...), "AWS_ENDPOINT_URL="+p.URL)
			c.Stdout, c.Stderr, cmds[i] = &outputs[i], &outputs[i], c
			running.Go(func() { _ = c.Run() }) // the exit code is checked below
		}
		running.Wait()
		items, torn := 0, 0
		for i, c := range cmds {
			switch c.ProcessState.ExitCode() {
			case 0:
			case 3:
				torn++
			default:
				b.Fatalf("shard %d: %v\n%s", i, c.ProcessState, &outputs[i])
			}
			items += bytes.Count(append([]byte("\n"), outputs[i].Bytes()...), []byte("\n{"))
			cpu += used(c)
		}
		if items != fleetItems || torn != 1 {
			b.Fatalf("%d items, want %d; %d shards with a torn one, want 1\n%s", items, fleetItems, torn, &outputs[0])
		}
	}
	requests, fetched := 0, int64(0)
	for _, p := range links {
		n, bytes := p.Bytes()
		requests, fetched = requests+n, fetched+bytes
	}
	n := float64(b.N)
	b.ReportMetric(b.Elapsed().Seconds()/n, "s/run")
	b.ReportMetric(float64(size)/1e6/(b.Elapsed().Seconds()/n), "MB/s")
	b.ReportMetric(cpu.Seconds()/n, "cpu-s/run")
	b.ReportMetric(float64(requests)/n, "requests/run")
	b.ReportMetric(float64(fetched)/1e6/n, "MB/run")
	b.ReportMetric(0, "ns/op")
}
