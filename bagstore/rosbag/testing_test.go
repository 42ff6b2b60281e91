package rosbag

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/stockbag"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("BAGSTORE_RECORDER"); path != "" {
		if pace := os.Getenv("BAGSTORE_PACE"); pace != "" {
			recordAtPace(path, pace)
		}
		recordUntilKilled(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// seen is a message in a form that tests compare.
type seen struct {
	topic string
	time  bagstore.Time
	sum   string
}

func sum(data []byte) string { return stockbag.Sum(data) }

// stringType is std_msgs/String.
func stringType(topic string) bagstore.Connection {
	return bagstore.Connection{Topic: topic, Type: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n"}
}

// text returns a std_msgs/String of n bytes that varies with i.
func text(i, n int) []byte {
	s := strings.Repeat(fmt.Sprintf("message %d ", i), n/10+1)[:n]
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, s...)
}

// sample describes a bag to write: messages of several topics, slightly out of order.
type sample struct {
	topics   int
	messages int
	size     func(i int) int
}

var small = sample{topics: 4, messages: 300, size: func(i int) int { return i * 7 % 900 }}

func (s sample) time(i int) bagstore.Time {
	return 1_600_000_000*1e9 + bagstore.Time(i+i%3*4)*1_000_000
}

// write writes the sample, checks it with every reader, and returns what was written, in file order.
func (s sample) write(t testing.TB, path string, o bagstore.Options) []seen {
	t.Helper()
	o.NoSync = true // slow, and readers don't see it
	w := createBag(t, path, o)
	out := s.feed(t, w)
	must(t, w.Close())
	if _, ok := t.(*testing.T); ok {
		everywhere(t, path, out)
	}
	return out
}

func (s sample) feed(t testing.TB, w *Writer) []seen {
	t.Helper()
	var out []seen
	for i := range s.topics {
		c := stringType(fmt.Sprintf("/topic_%d", i))
		c.Latching = i == 1
		c.CallerID = fmt.Sprintf("/node_%d", i)
		if _, err := w.AddConnection(c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range s.messages {
		data := text(i, s.size(i))
		conn := uint32(i % s.topics)
		if err := w.Write(conn, s.time(i), data[:len(data)/2], data[len(data)/2:]); err != nil {
			t.Fatal(err)
		}
		out = append(out, seen{fmt.Sprintf("/topic_%d", conn), s.time(i), sum(data)})
	}
	return out
}

// must ends the test after an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// createBag creates a bag with topics of strings.
func createBag(t testing.TB, path string, o bagstore.Options, topics ...string) *Writer {
	t.Helper()
	w, err := Create(path, o)
	must(t, err)
	for _, topic := range topics {
		_, err := w.AddConnection(stringType(topic))
		must(t, err)
	}
	return w
}

// openBag opens a bag until the test ends.
func openBag(t testing.TB, path string, o bagstore.OpenOptions) *bagstore.Recording {
	t.Helper()
	b, err := Open(path, o)
	must(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// readAll returns a bag's messages in time order.
func readAll(t testing.TB, path string, o bagstore.OpenOptions) []seen {
	t.Helper()
	b, err := Open(path, o)
	must(t, err)
	defer b.Close()
	out, err := messagesOf(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func messagesOf(b *bagstore.Recording) ([]seen, error) {
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	var out []seen
	for it.Next() {
		m := it.Message()
		out = append(out, seen{m.Conn.Topic, m.Time, sum(m.Data)})
	}
	return out, it.Err()
}

// stock runs a program of the ROS installation, or skips the test.
func stock(t testing.TB, name string, args ...string) (string, error) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		need.Missing(t, "%s is not installed", name)
	}
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "ROS_MASTER_URI=http://127.0.0.1:1", "PYTHONWARNINGS=ignore")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, errs.String(), out.String())
	}
	return out.String(), err
}

// everywhere reads a bag by its index, by a scan, and with both stock libraries, if installed; each
// must return want. The stock libraries' order of messages with equal times isn't compared.
func everywhere(t testing.TB, path string, want []seen) {
	t.Helper()
	want = byTime(want)
	compare(t, path+" by index", readAll(t, path, bagstore.OpenOptions{}), want)
	compare(t, path+" by scan", readAll(t, path, bagstore.OpenOptions{Scan: true}), want)
	ours := make([]stockbag.Message, len(want))
	for i, s := range want {
		ours[i] = stockbag.Message{Topic: s.topic, Time: uint64(s.time), Sum: s.sum}
	}
	stockbag.Agree(t, path, ours)
}

// stockRead returns a bag's messages as read by each stock library.
func stockRead(t testing.TB, path string) map[string][]seen {
	t.Helper()
	found := make(map[string][]seen)
	for name, list := range stockbag.Read(t, path) {
		found[name] = make([]seen, len(list))
		for i, m := range list {
			found[name][i] = seen{m.Topic, bagstore.Time(m.Time), m.Sum}
		}
	}
	return found
}

// bags is the folder of example bags.
func bags(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("RS_BAGS")
	if dir == "" {
		need.Missing(t, "RS_BAGS, the folder of example bags, is not set")
	}
	return dir
}

func exampleBags(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{"librealsense", "public"} {
		list, err := filepath.Glob(filepath.Join(bags(t), dir, "*.bag"))
		if err != nil || len(list) == 0 {
			t.Fatalf("no bags in %s: %v", dir, err)
		}
		out = append(out, list...)
	}
	return out
}
