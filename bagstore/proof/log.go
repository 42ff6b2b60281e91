package proof

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"rsros/program/regular"
)

// magic begins a log. Wire constant.
const magic = "#RSPROOF 1\n"

// frameHead is the length of what is before a frame's payload: its kind and length.
const frameHead = 5

// maxFrame bounds a frame. A chunk with the most messages that a reader accepts is smaller.
const maxFrame = 128 << 20

// maxPending bounds the frames that wait for Sign to write them. Beyond it, adding a leaf waits for the disk.
const maxPending = 4 << 20

// Log writes the log of a recording that is being written. Leaves are added by one goroutine at a time;
// Sign may be called by another one meanwhile, and adding doesn't wait for its disk. After an error the log stays as it is and every method does nothing;
// Close returns the error.
type Log struct {
	key    *Key
	header Header
	base   string // path of the recording
	noSync bool

	writing sync.Mutex // locked before mu
	f       *os.File   // written with writing locked

	mu             sync.Mutex // guards what follows; not locked during writes
	pending, spare []byte     // frames that aren't in the file; memory for the next ones
	tree           tree
	enc            encoder
	err            error
	count          Mark // of the leaves so far
}

// Mark is a state of the log that Sign signs.
type Mark struct {
	leaves   int64
	chunks   uint64
	messages uint64
	size     int64
}

// Create creates the log of a recording and signs it. Without overwrite, the error for an existing one is
// fs.ErrExist. With it, the log of a recording that isn't complete has a name of its own until Replace.
func Create(recording string, key *Key, overwrite, noSync bool) (*Log, error) {
	base := strings.TrimSuffix(recording, activeExt)
	if overwrite {
		base = recording
		if err := Clear(recording); err != nil {
			return nil, err
		}
	}
	if name := recording + LogExt; name != base+LogExt { // readers would take it for this one's
		if err := free(name); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(base+LogExt, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	l := &Log{key: key, base: base, noSync: noSync, f: f, pending: []byte(magic)}
	l.header.Name = NameOf(recording)
	_, _ = rand.Read(l.header.ID[:]) // never fails
	l.enc.Header(l.header)
	l.leaf(KindHeader)
	if err := l.Sign(l.count, false); err != nil {
		return nil, errors.Join(err, l.Discard())
	}
	return l, nil
}

func (l *Log) fail(err error) {
	if err != nil {
		l.err = cmp.Or(l.err, fmt.Errorf("write %s: %w", l.f.Name(), err))
	}
}

// leaf adds what the encoder holds. The caller holds l.mu.
func (l *Log) leaf(kind Kind) {
	l.frame(kind, l.enc.b)
	if l.err == nil {
		l.fail(l.tree.add(leafBytes(kind, l.enc.b)))
	}
	l.count.leaves = l.tree.leaves
	l.enc.b = l.enc.b[:0]
}

// leafBytes returns what the tree has of a leaf.
func leafBytes(kind Kind, payload []byte) []byte {
	return append(append(make([]byte, 0, 1+len(payload)), byte(kind)), payload...)
}

func (l *Log) frame(kind Kind, payload []byte) {
	if l.err == nil && len(payload) > maxFrame {
		l.fail(fmt.Errorf("%d bytes for one chunk, at most %d are possible", len(payload), maxFrame))
	}
	if l.err != nil {
		return
	}
	l.pending = binary.LittleEndian.AppendUint32(append(l.pending, byte(kind)), uint32(len(payload)))
	l.pending = append(l.pending, payload...)
}

// unlock unlocks l.mu. If too much is pending, it writes that.
func (l *Log) unlock() {
	full := len(l.pending) > maxPending
	l.mu.Unlock()
	if full {
		_ = l.write() // Close returns the error
	}
}

// write writes what is pending.
func (l *Log) write() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	frames, err := l.pending, l.err
	l.pending = l.spare[:0]
	l.mu.Unlock()
	if err == nil {
		_, err = l.f.Write(frames)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spare = frames
	l.fail(err)
	return l.err
}

// Connection adds a connection, before the first chunk that has it.
func (l *Log) Connection(c Connection) {
	l.mu.Lock()
	defer l.unlock()
	l.enc.Connection(c)
	l.leaf(KindConnection)
}

// Chunk adds a chunk.
func (l *Log) Chunk(c *Chunk) {
	l.mu.Lock()
	defer l.unlock()
	l.enc.Chunk(c)
	l.leaf(KindChunk)
	l.count.chunks++
	l.count.messages += uint64(len(c.Messages))
}

// Section adds an index section.
func (l *Log) Section(s Section) {
	l.mu.Lock()
	defer l.unlock()
	l.enc.Section(s)
	l.leaf(KindSection)
}

// Mark returns the state of the log, for a recording of size bytes.
func (l *Log) Mark(size int64) Mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.count
	m.size = size
	return m
}

// Rewind removes the leaves after m: the recorder takes chunks back after an error.
func (l *Log) Rewind(m Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.leaves == l.tree.leaves {
		return
	}
	l.tree.cut(m.leaves)
	l.count = m
	l.enc.uint(uint64(m.leaves))
	l.frame(kindRewind, l.enc.b)
	l.enc.b = l.enc.b[:0]
}

// Sign signs the root of the leaves up to m and writes the log to the disk. Leaves may be added meanwhile.
func (l *Log) Sign(m Mark, complete bool) error {
	text, signature, err := l.addRoot(m, complete)
	if err == nil {
		err = l.write()
	}
	if err != nil {
		return err
	}
	if !l.noSync {
		err = l.f.Sync()
	}
	if err == nil && complete {
		err = l.writeRoot(text, signature)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail(err)
	return l.err
}

// addRoot adds the root of the leaves up to m, and its signature.
func (l *Log) addRoot(m Mark, complete bool) (text, signature []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil, nil, l.err
	}
	if text, signature, err = l.root(m, complete); err != nil {
		l.fail(err)
		return nil, nil, l.err
	}
	l.enc.string(string(text))
	l.enc.string(string(signature))
	l.frame(kindRoot, l.enc.b)
	l.enc.b = l.enc.b[:0]
	return text, signature, l.err
}

func (l *Log) root(m Mark, complete bool) (text, signature []byte, err error) {
	hash, err := l.tree.root(m.leaves)
	if err != nil {
		return nil, nil, err
	}
	r := Root{Recording: l.header.Name, ID: l.header.ID, Leaves: m.leaves, Hash: hash, Bytes: m.size, Chunks: m.chunks, Messages: m.messages,
		Complete: complete, Time: time.Now().Round(0)}
	text = r.Text()
	comment := fmt.Sprintf("timestamp:%d\tfile:%s\thashed", r.Time.Unix(), strings.Map(printable, l.header.Name+RootExt))
	return text, l.key.sign(text, comment), nil
}

// printable keeps what a trusted comment, which is one line, can hold.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '_'
	}
	return r
}

func (l *Log) writeRoot(text, signature []byte) error {
	if err := WriteFile(l.base+RootExt, text); err != nil {
		return err
	}
	return WriteFile(l.base+SignatureExt, signature)
}

// WriteFile writes a small file that has its name when it is whole, also after a power cut.
func WriteFile(path string, text []byte) error {
	temp := path + ".partial"
	f, err := os.Create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// Replaceable returns fs.ErrExist if a path has something else than a root.
func Replaceable(path string) error {
	text, err := regular.Read(path, maxRoot)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = ParseRoot(text)
	}
	if err != nil {
		return fmt.Errorf("%w: %s isn't a signed root: %w", fs.ErrExist, path, err)
	}
	return nil
}

// Close closes the file and returns the first error.
func (l *Log) Close() error {
	err := l.write()
	if e := l.f.Close(); err == nil && e != nil {
		err = fmt.Errorf("close %s: %w", l.f.Name(), e)
	}
	return err
}

// Discard closes and removes the log.
func (l *Log) Discard() error { return errors.Join(l.f.Close(), os.Remove(l.f.Name())) }
