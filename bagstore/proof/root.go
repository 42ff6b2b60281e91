package proof

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Root is what is signed: the root of the tree, and what it stands for.
type Root struct {
	Recording string // name of the file
	ID        [16]byte
	Leaves    int64
	Hash      tlog.Hash
	Bytes     int64 // length of the recording
	Chunks    uint64
	Messages  uint64
	Complete  bool      // the recording was ended
	Time      time.Time // of the signature, by the recorder's clock
}

const rootTitle = "signed recording 1"

// Text returns the text that is signed, a line for each field.
func (r *Root) Text() []byte {
	state := "open"
	if r.Complete {
		state = "complete"
	}
	return fmt.Appendf(nil, "%s\nrecording: %q\nid: %x\nleaves: %d\nroot: %x\nbytes: %d\nchunks: %d\nmessages: %d\nstate: %s\ntime: %s\n",
		rootTitle, r.Recording, r.ID, r.Leaves, r.Hash[:], r.Bytes, r.Chunks, r.Messages, state, r.Time.UTC().Format(time.RFC3339Nano))
}

// maxRoot bounds the text of a root, and that of a signature.
const maxRoot = 64 << 10

// ParseRoot parses the text of a root.
func ParseRoot(text []byte) (*Root, error) {
	if len(text) > maxRoot {
		return nil, fmt.Errorf("parse a root: %d bytes, at most %d are expected", len(text), maxRoot)
	}
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, maxRoot+1)
	p := rootParser{lines: s}
	if !s.Scan() || s.Text() != rootTitle {
		return nil, fmt.Errorf("parse a root: the first line isn't %q", rootTitle)
	}
	r := &Root{
		Recording: parsed(&p, "recording", strconv.Unquote), ID: [16]byte(parsed(&p, "id", fixedHex(16))),
		Leaves: parsed(&p, "leaves", number), Hash: tlog.Hash(parsed(&p, "root", fixedHex(tlog.HashSize))), Bytes: parsed(&p, "bytes", number),
		Chunks: uint64(parsed(&p, "chunks", number)), Messages: uint64(parsed(&p, "messages", number)), Complete: parsed(&p, "state", state),
		Time: parsed(&p, "time", func(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }),
	}
	if p.err != nil {
		return nil, fmt.Errorf("parse a root: %w", p.err)
	}
	if !bytes.Equal(r.Text(), text) {
		return nil, errors.New("parse a root: the text isn't in the usual form")
	}
	return r, nil
}

type rootParser struct {
	lines *bufio.Scanner
	err   error
}

func parsed[T any](p *rootParser, name string, parse func(string) (T, error)) (v T) {
	line := ""
	if p.lines.Scan() {
		line = p.lines.Text()
	}
	value, ok := strings.CutPrefix(line, name+": ")
	got, err := parse(value)
	if !ok || err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("line %.100q, want %s", line, name))
	}
	return got
}

func number(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err
}

func state(s string) (complete bool, err error) {
	if s != "open" && s != "complete" {
		err = strconv.ErrSyntax
	}
	return s == "complete", err
}

// fixedHex parses n bytes. It returns n bytes after an error, too.
func fixedHex(n int) func(string) ([]byte, error) {
	return func(s string) ([]byte, error) {
		b, err := hex.DecodeString(s)
		if err == nil && len(b) != n {
			err = strconv.ErrSyntax
		}
		if err != nil {
			b = make([]byte, n)
		}
		return b, err
	}
}
