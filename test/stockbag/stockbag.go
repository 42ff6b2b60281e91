// Package stockbag reads bags with the libraries of ROS, Debian's rosbag for Python
// and for C++, so that a test can compare message by message.
//
// Each library runs in a process, which starts with the first request and ends with
// the test. Many goroutines may make requests.
package stockbag

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// Message is one message of a bag.
type Message struct {
	Topic string
	Time  bagstore.Time
	Sum   string // see Sum
}

// NewMessage returns the message that has some data.
func NewMessage(topic string, t bagstore.Time, data []byte) Message {
	return Message{topic, t, Sum(data)}
}

// Sum identifies the bytes of a message: their number and CRC-32.
func Sum(data []byte) string { return fmt.Sprintf("%d:%08x", len(data), crc32.ChecksumIEEE(data)) }

// Libraries are the keys of the result of Read.
var Libraries = []string{"python", "C++"}

// Read returns the messages of a bag by library, in the order in which the library
// returns them. It skips the test where the libraries are missing.
func Read(t testing.TB, path string) map[string][]Message {
	t.Helper()
	readers, err := start()
	if err != nil {
		need.Missing(t, "stock rosbag libraries: %v", err)
	}
	path, err = filepath.Abs(path)
	need.Must(t, err)
	found := make(map[string][]Message)
	for i, r := range readers {
		if found[Libraries[i]], err = r.read(path); err != nil {
			t.Errorf("%s: %s reader: %v", path, Libraries[i], err)
		}
	}
	return found
}

// Agree compares what we read from a bag with what each library reads, where they
// are. Messages of one time may come in any order.
func Agree(t testing.TB, path string, ours []Message) {
	t.Helper()
	if !Available(t) {
		return
	}
	want := Sorted(ours)
	for name, list := range Read(t, path) {
		for i, m := range list {
			// The Python library doesn't sort what overlapping chunks hold.
			if name == "C++" && i > 0 && m.Time < list[i-1].Time {
				t.Errorf("%s in %s: message %d is earlier than the one before", path, name, i)
			}
		}
		Compare(t, path+" in "+name, Sorted(list), want)
	}
}

// Available says whether there are such libraries to compare with. A run in which
// nothing may be skipped fails without.
func Available(t testing.TB) bool {
	t.Helper()
	if testing.Short() {
		return false
	}
	_, err := start()
	if err != nil && os.Getenv("RS_NO_SKIP") == "1" {
		t.Fatalf("stock rosbag libraries: %v", err)
	}
	return err == nil
}

// reader is a running library.
type reader struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Scanner
}

//go:embed programs/messages.py
var pythonSource string

//go:embed programs/messages.cpp
var cppSource []byte

var start = sync.OnceValues(func() ([]*reader, error) {
	cpp, err := build()
	if err != nil {
		return nil, err
	}
	var readers []*reader
	for _, cmd := range []*exec.Cmd{exec.Command("/usr/bin/python3", "-c", pythonSource), exec.Command(cpp)} {
		r, err := run(cmd)
		if err != nil {
			return nil, err
		}
		readers = append(readers, r)
	}
	return readers, nil
})

// build compiles the C++ reader, which takes seconds, once for the tests of all packages. Debian has the headers
// that rosbag needs in places that its pkg-config files don't name.
func build() (path string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path = filepath.Join(cache, "rs-ros-node-tests", fmt.Sprintf("messages-%x", sha256.Sum256(cppSource)))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "build")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left takes some KB
	args := []string{"-O1", "-std=gnu++17", "-x", "c++", "-", "-o", filepath.Join(dir, "messages")}
	for _, name := range []string{"pluginlib", "class_loader", "ament_index_cpp", "rcutils", "rcpputils"} {
		args = append(args, "-I/usr/include/"+name)
	}
	cmd := exec.Command("g++", append(args, "-lrosbag_storage", "-lroscpp_serialization", "-lrostime", "-lcpp_common", "-lboost_system")...)
	cmd.Stdin = bytes.NewReader(cppSource)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, os.Rename(filepath.Join(dir, "messages"), path) // another package may have been as fast
}

// run starts a reader, which ends when its standard input does: with this process.
func run(cmd *exec.Cmd) (*reader, error) {
	cmd.Env = append(os.Environ(), "PYTHONWARNINGS=ignore")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r := &reader{in: in, out: bufio.NewScanner(out)}
	return r, cmd.Start()
}

func (r *reader) read(path string) ([]Message, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := fmt.Fprintln(r.in, path); err != nil {
		return nil, err
	}
	var list []Message
	for r.out.Scan() {
		first, rest, _ := strings.Cut(r.out.Text(), " ")
		switch first {
		case "end":
			return list, nil
		case "error":
			return list, errors.New(rest)
		}
		at, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return list, err
		}
		sum, topic, _ := strings.Cut(rest, " ")
		list = append(list, Message{topic, bagstore.Time(at), sum})
	}
	return list, errors.Join(io.ErrUnexpectedEOF, r.out.Err())
}
