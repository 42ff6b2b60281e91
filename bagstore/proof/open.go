package proof

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"rsros/bagstore/place"
)

// Errors of Open.
var (
	// ErrNone means that there is no log.
	ErrNone = errors.New("there is no proof")
	// ErrSignature means that no root in the log has a valid signature by the key.
	ErrSignature = errors.New("no signature by this key fits")
)

// Proof is a log of which a root has a valid signature. It is for one goroutine.
type Proof struct {
	Root
	Signature   []byte
	Connections []Connection // in the order of the log
	// Unsigned is the number of leaves after the signed root.
	Unsigned int64
	// Damage is why the log wasn't read further, after the signed root.
	Damage error

	f      file
	leaves []leaf
	buf    []byte
}

type file interface {
	io.ReaderAt
	io.Closer
}

type leaf struct {
	off  int64 // of the payload
	size uint32
	kind Kind
}

// maxRoots is the number of roots, from the end of the log, whose signatures are tried.
const maxRoots = 16

// Open opens a log at a path or an address and verifies its newest signed root.
func Open(ctx context.Context, path string, key PublicKey) (*Proof, error) {
	f, err := place.Open(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if err != nil {
		return nil, err
	}
	p := &Proof{f: f}
	if err := p.open(f.Size(), key); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, errors.Join(err, f.Close()))
	}
	if err := p.compareRoot(ctx, path, key); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, errors.Join(err, f.Close()))
	}
	return p, nil
}

// Close closes the log.
func (p *Proof) Close() error { return p.f.Close() }

func (p *Proof) open(size int64, key PublicKey) error {
	s := scanner{in: bufio.NewReaderSize(io.NewSectionReader(p.f, 0, size), int(min(256<<10, size))), size: size}
	if err := s.run(); err != nil {
		return err
	}
	return p.choose(&s, key)
}

// scanner reads a log from its beginning.
type scanner struct {
	in     *bufio.Reader
	size   int64 // of the log
	off    int64
	buf    []byte
	tree   tree
	leaves []leaf
	roots  []signedRoot // the last ones
	damage error
}

type signedRoot struct{ text, signature []byte }

// run reads frames up to the first that isn't whole, which a killed recorder leaves, or that is damaged.
func (s *scanner) run() error {
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(s.in, head); err != nil || string(head) != magic {
		return fmt.Errorf("it isn't a log: it doesn't begin with %q", magic)
	}
	s.off = int64(len(magic))
	for {
		kind, payload, err := s.frame()
		if err != nil || kind == 0 {
			return err
		}
		if err := s.take(kind, payload); err != nil {
			s.damage = fmt.Errorf("damaged at byte %d: %w", s.off, err)
			return nil
		}
		s.off += frameHead + int64(len(payload))
	}
}

// frame returns kind 0 at the end of what is whole.
func (s *scanner) frame() (Kind, []byte, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return 0, nil, atEnd(err)
	}
	n := int64(binary.LittleEndian.Uint32(head[1:]))
	if head[0] == 0 || n > s.size-s.off-frameHead || n > maxFrame {
		return 0, nil, nil
	}
	s.buf = slices.Grow(s.buf[:0], int(n))[:n]
	_, err := io.ReadFull(s.in, s.buf)
	if err != nil {
		return 0, nil, atEnd(err)
	}
	return Kind(head[0]), s.buf, nil
}

func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func (s *scanner) take(kind Kind, payload []byte) error {
	d := decoder{b: payload}
	switch kind {
	case kindRoot:
		r := signedRoot{[]byte(d.string()), []byte(d.string())}
		if s.roots = append(s.roots, r); len(s.roots) > maxRoots {
			s.roots = s.roots[1:]
		}
		return d.end()
	case kindRewind:
		n := int64(d.uint(math.MaxInt64))
		if err := d.end(); err != nil || n < 1 || n > s.tree.leaves {
			return errors.Join(err, fmt.Errorf("a rewind to leaf %d of %d", n, s.tree.leaves))
		}
		s.tree.cut(n)
		s.leaves = s.leaves[:n]
		return nil
	case KindHeader, KindConnection, KindChunk, KindSection:
		if len(payload) < leastLeaf && kind != KindHeader || (kind == KindHeader) != (s.tree.leaves == 0) {
			return errLeaf
		}
		s.leaves = append(s.leaves, leaf{s.off + frameHead, uint32(len(payload)), kind})
		return s.tree.add(leafBytes(kind, payload))
	}
	return fmt.Errorf("a frame of an unknown kind %q", byte(kind))
}

// choose finds the newest root that the key has signed and that is one of this tree.
func (p *Proof) choose(s *scanner, key PublicKey) error {
	for _, r := range slices.Backward(s.roots) {
		if !key.verify(r.text, r.signature) {
			continue
		}
		root, err := ParseRoot(r.text)
		if err != nil {
			return err
		}
		if root.Leaves < 1 || root.Leaves > s.tree.leaves {
			continue
		}
		if hash, err := s.tree.root(root.Leaves); err != nil || hash != root.Hash {
			continue
		}
		p.Root, p.Signature = *root, r.signature
		p.Unsigned, p.Damage = s.tree.leaves-root.Leaves, s.damage
		p.leaves = s.leaves[:root.Leaves]
		return p.readNames()
	}
	return errors.Join(fmt.Errorf("%w, %v, to any root of %d leaves", ErrSignature, key, s.tree.leaves), s.damage)
}

// readNames reads the header and the connections.
func (p *Proof) readNames() error {
	for i := range p.leaves {
		d := decoder{}
		var err error
		switch p.leaves[i].kind {
		case KindHeader:
			if d.b, err = p.payload(i); err == nil && d.Header() != (Header{p.ID, p.Recording}) {
				err = errors.New("the header isn't the one that is signed")
			}
		case KindConnection:
			if d.b, err = p.payload(i); err == nil {
				p.Connections = append(p.Connections, d.Connection())
			}
		default:
			continue
		}
		if err = errors.Join(err, d.end()); err != nil {
			return fmt.Errorf("leaf %d: %w", i, err)
		}
	}
	return nil
}

// compareRoot compares the log with the root next to it, if there is one with a signature: a log that was cut
// off, to hide what was recorded last, has an earlier one, and one of another recording has another ID.
func (p *Proof) compareRoot(ctx context.Context, log string, key PublicKey) error {
	base := strings.TrimSuffix(place.Base(log), LogExt)
	name := place.Sibling(log, base+RootExt)
	text, err := place.Read(ctx, name, maxRoot)
	signature, err2 := place.Read(ctx, place.Sibling(log, base+SignatureExt), maxRoot)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err2, fs.ErrNotExist) {
		return nil
	}
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if !key.verify(text, signature) {
		return fmt.Errorf("%w, %v, to %s", ErrSignature, key, name)
	}
	r, err := ParseRoot(text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case r.ID != p.ID:
		return fmt.Errorf("it is the log of another recording, %q, than %s, of %q", p.Recording, name, r.Recording)
	case r.Leaves > p.Leaves || r.Complete && !p.Complete:
		return fmt.Errorf("the log was cut off: it proves %d leaves, but %s has a signature for %d", p.Leaves, name, r.Leaves)
	}
	return nil
}

// Leaf returns the kind of a leaf of the signed tree.
func (p *Proof) Leaf(i int) Kind { return p.leaves[i].kind }

// Len returns the number of leaves.
func (p *Proof) Len() int { return len(p.leaves) }

// payload returns a leaf's bytes, valid until the next call.
func (p *Proof) payload(i int) ([]byte, error) {
	n := int(p.leaves[i].size)
	p.buf = slices.Grow(p.buf[:0], n)[:n]
	_, err := p.f.ReadAt(p.buf, p.leaves[i].off)
	return p.buf, err
}

// Chunk decodes a leaf into c, whose memory it reuses.
func (p *Proof) Chunk(i int, c *Chunk) error {
	b, err := p.payload(i)
	if err != nil {
		return err
	}
	d := decoder{b: b}
	d.Chunk(c)
	return d.end()
}

// Section decodes a leaf.
func (p *Proof) Section(i int) (Section, error) {
	b, err := p.payload(i)
	d := decoder{b: b}
	s := d.Section()
	return s, errors.Join(err, d.end())
}
