package samplebag

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// Strings describes a bag of std_msgs/String on topics /topic_0, /topic_1 and so on, where
// /topic_1 is latching, and some messages aren't in time order.
type Strings struct {
	Topics   int
	Messages int
	Size     func(i int) int // of the text, in bytes
}

// Small has a few hundred messages of up to 900 bytes.
var Small = Strings{Topics: 4, Messages: 300, Size: func(i int) int { return i * 7 % 900 }}

// StringType returns a connection of std_msgs/String.
func StringType(topic string) bagstore.Connection {
	return bagstore.Connection{Topic: topic, Type: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n"}
}

// Text returns a std_msgs/String of n bytes that depends on i.
func Text(i, n int) []byte {
	s := strings.Repeat(fmt.Sprintf("message %d ", i), n/10+1)[:n]
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, s...)
}

// Write writes a bag, and returns its messages in time order. All readers must find them.
func (s Strings) Write(t testing.TB, path string, o bagstore.Options) []stockbag.Message {
	t.Helper()
	o.NoSync = true // it is slow
	w, err := rosbag.Create(path, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Topics {
		c := StringType(fmt.Sprintf("/topic_%d", i))
		c.Latching, c.CallerID = i == 1, fmt.Sprintf("/node_%d", i)
		if _, err := w.AddConnection(c); err != nil {
			t.Fatal(err)
		}
	}
	var list []stockbag.Message
	for i := range s.Messages {
		data := Text(i, s.Size(i))
		at := bagstore.Time(1_600_000_000e9) + bagstore.Time(i+i%3*4)*1e6
		if err := w.Write(uint32(i%s.Topics), at, data); err != nil {
			t.Fatal(err)
		}
		list = append(list, stockbag.Message{Topic: fmt.Sprintf("/topic_%d", i%s.Topics), Time: uint64(at), Sum: stockbag.Sum(data)})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	Everywhere(t, path, list)
	return byTime(list)
}

func byTime(list []stockbag.Message) []stockbag.Message {
	return slices.SortedStableFunc(slices.Values(list), func(x, y stockbag.Message) int { return cmp.Compare(x.Time, y.Time) })
}

// Read returns a bag's messages in time order.
func Read(t testing.TB, path string, o bagstore.OpenOptions) (list []stockbag.Message) {
	t.Helper()
	b, err := rosbag.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	Each(t, func(m bagstore.Message) {
		list = append(list, stockbag.Message{Topic: m.Conn.Topic, Time: uint64(m.Time), Sum: stockbag.Sum(m.Data)})
	}, b)
	return list
}

// Everywhere reads a bag by its index, by a scan, and with both stock libraries if they are
// installed. Each must find all of want.
func Everywhere(t testing.TB, path string, want []stockbag.Message) {
	t.Helper()
	want = byTime(want)
	Compare(t, path+" by index", Read(t, path, bagstore.OpenOptions{}), want)
	Compare(t, path+" by scan", Read(t, path, bagstore.OpenOptions{Scan: true}), want)
	stockbag.Agree(t, path, want)
}

// Compare fails the test at the first message that differs.
func Compare(t testing.TB, what string, got, want []stockbag.Message) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: message %d of %d is %v, want %v (of %d)", what, i, len(got), got[i], want[i], len(want))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d messages, want %d", what, len(got), len(want))
	}
}

// Stock runs a program of the ROS install, and returns its output. It skips the test if the
// program is missing.
func Stock(t testing.TB, program string, args ...string) (string, error) {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		need.Missing(t, "%s is not installed", program)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "ROS_MASTER_URI=http://127.0.0.1:1", "PYTHONWARNINGS=ignore")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", program, strings.Join(args, " "), err, errs.String(), out.String())
	}
	return out.String(), err
}
