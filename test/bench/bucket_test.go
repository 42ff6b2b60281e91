package bench

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/peer"
)

// The link to the bucket, and the recording: 25 MB/s for 20 s.
const (
	linkRate    = 50_000_000
	linkLatency = 20 * time.Millisecond

	messageSize = 500_000
	messages    = 1000
	interval    = 20 * time.Millisecond
)

// recordStrings writes messages of size bytes, all letters.
func recordStrings(b *testing.B, path string, messages, size int) {
	w, err := rosbag.Create(path, bagstore.Options{})
	need.Must(b, err)
	c := bagstore.Connection{Topic: "/a", Type: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n"}
	id, err := w.AddConnection(c)
	data := make([]byte, size)
	rand.Read(data)
	for i := range data {
		data[i] = 'A' + data[i]%26
	}
	binary.LittleEndian.PutUint32(data, uint32(size-4))
	for i := 0; i < messages && err == nil; i++ {
		err = w.Write(id, bagstore.NewTime(1_600_000_000, 0).Add(time.Duration(i)*interval), data)
	}
	need.Must(b, err)
	need.Must(b, w.Close())
}

// BenchmarkBucket runs each command on a recording in a bucket once a round: in place, and after downloading the whole recording.
// Reported are seconds, processor seconds of the command and of the download, requests and megabytes.
func BenchmarkBucket(b *testing.B) {
	store := bucket.Start(b)
	dir := b.TempDir()
	program := peer.Released(b)
	local := filepath.Join(dir, "local.bag")
	recordStrings(b, local, messages, messageSize)
	address := store.Put("walk.bag", local)
	store.Link(linkRate, linkLatency)
	for name, args := range map[string][]string{
		"info": {"info", "IN"}, "check": {"check", "IN"}, "cut": {"filter", "IN", "-o", filepath.Join(dir, "cut.bag"), "-f", "-s", "5", "--end", "15"},
		"play": {"play", "IN", "-u", "10", "--master", "embedded"},
	} {
		b.Run(name+"/in-place", func(b *testing.B) {
			runOn(b, store, program, args, func() (string, time.Duration) { return address, 0 })
		})
		b.Run(name+"/downloaded", func(b *testing.B) {
			runOn(b, store, program, args, func() (string, time.Duration) { return download(b, store, filepath.Join(dir, "copy.bag")) })
		})
	}
}

func runOn(b *testing.B, store *bucket.Bucket, program string, args []string, in func() (string, time.Duration)) {
	store.Forget()
	var cpu time.Duration
	for b.Loop() {
		name, fetching := in()
		cmd := exec.Command(program)
		for _, a := range args {
			if a == "IN" {
				a = name
			}
			cmd.Args = append(cmd.Args, a)
		}
		cmd.Env = append(store.Env, "ROS_MASTER_URI=http://"+freeAddress(b))
		out, err := cmd.CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("stood still")) {
			b.Fatalf("%s: %v\n%s", args[0], err, out)
		}
		cpu += fetching + used(cmd)
	}
	requests, bytes := store.Bytes()
	n := float64(b.N)
	b.ReportMetric(b.Elapsed().Seconds()/n, "s/run")
	b.ReportMetric(cpu.Seconds()/n, "cpu-s/run")
	b.ReportMetric(float64(requests)/n, "requests/run")
	b.ReportMetric(float64(bytes)/1e6/n, "MB/run")
	b.ReportMetric(0, "ns/op")
}

// freeAddress returns an address that nobody listens at.
func freeAddress(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(b, err)
	defer l.Close()
	return l.Addr().String()
}

// used returns the processor time that a program has used.
func used(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// download fetches the whole recording in one request of curl's, over the same link, and returns curl's processor
// time.
func download(b *testing.B, store *bucket.Bucket, to string) (string, time.Duration) {
	cmd := exec.Command("curl", "--silent", "--fail", "--output", to, store.Signed(b, "walk.bag"))
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("curl: %v\n%s", err, out)
	}
	if st, err := os.Stat(to); err != nil || st.Size() < messages*messageSize {
		b.Fatal(st, err)
	}
	return to, used(cmd)
}
