package stockbag

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
	"rsros/test/need"
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

// Time returns the time of message i.
func (s Strings) Time(i int) bagstore.Time {
	return bagstore.Time(1_600_000_000e9) + bagstore.Time(i+i%3*4)*1e6
}

// Writer is that of a bag.
type Writer interface {
	AddConnection(bagstore.Connection) (uint32, error)
	Write(conn uint32, t bagstore.Time, parts ...[]byte) error
}

// Feed writes all messages, and returns them in the order of the file.
func (s Strings) Feed(t testing.TB, w Writer) (list []Message) {
	t.Helper()
	for i := range s.Topics {
		c := StringType(fmt.Sprintf("/topic_%d", i))
		c.Latching, c.CallerID = i == 1, fmt.Sprintf("/node_%d", i)
		if _, err := w.AddConnection(c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range s.Messages {
		data := Text(i, s.Size(i))
		need.Must(t, w.Write(uint32(i%s.Topics), s.Time(i), data[:len(data)/2], data[len(data)/2:]))
		list = append(list, NewMessage(fmt.Sprintf("/topic_%d", i%s.Topics), s.Time(i), data))
	}
	return list
}

// Of returns the messages of an open bag, in time order.
func Of(b *bagstore.Recording) (list []Message, err error) {
	it := b.View(bagstore.Query{}).Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		list = append(list, NewMessage(m.Conn.Topic, m.Time, m.Data))
	}
	return list, it.Err()
}

// ByTime sorts as a view does: messages of one time stay in the order of the file.
func ByTime(list []Message) []Message {
	return slices.SortedStableFunc(slices.Values(list), func(x, y Message) int { return cmp.Compare(x.Time, y.Time) })
}

// Sorted sorts completely, so that lists can be compared in which messages of one time have another order.
func Sorted(list []Message) []Message {
	return slices.SortedFunc(slices.Values(list), func(x, y Message) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.Topic, y.Topic), cmp.Compare(x.Sum, y.Sum))
	})
}

// Compare ends the test at the first message that differs.
func Compare(t testing.TB, what string, got, want []Message) {
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

// Run runs a program of the ROS install, and returns its output. It skips the test if the
// program is missing.
func Run(t testing.TB, program string, args ...string) (string, error) {
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
