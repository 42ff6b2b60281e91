package bagstore

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"rsros/bagstore/internal/record"
	"rsros/bagstore/proof"
)

// prover adds what a committer writes to the log that proves it. Chunks are hashed while they are written.
// Its methods are for the committer's writing goroutine, but for sign; with a nil prover they do nothing. An error
// of the log ends the log, not the recording; close returns it.
type prover struct {
	log   *proof.Log
	hash  *proof.Hasher
	chunk proof.Chunk
	list  []entry // in the order of the chunk
	wait  sync.WaitGroup
}

func newProver(l *proof.Log) *prover {
	if l == nil {
		return nil
	}
	return &prover{log: l, hash: proof.NewHasher()}
}

// begin starts to hash a chunk whose header begins head. Its content is the rest of head, body, and tail. Until
// end returns, none of it may change. begin returns what replaces done.
func (p *prover) begin(j *job, head, body, tail []byte, done func()) func() {
	if p == nil {
		return done
	}
	p.list = append(p.list[:0], j.entries...)
	fixed := 8 + int(binary.LittleEndian.Uint32(head)) // before the chunk's data
	kind, stored := storedAs(head)
	p.chunk = proof.Chunk{Compression: kind, Size: int64(len(j.buf)), Stored: stored, Messages: p.chunk.Messages[:0]}
	if j.large != nil {
		p.chunk.Size = stored
	}
	before, after := head[fixed:], tail[:len(tail):len(tail)]
	done, hashed := both(done)
	p.wait.Go(func() {
		defer hashed()
		p.content(j, before, body, after)
	})
	return done
}

// storedAs returns a chunk's compression, and its bytes in the file, from its header.
func storedAs(head []byte) (kind string, stored int64) {
	n := binary.LittleEndian.Uint32(head)
	var h record.Header
	_ = h.Parse(head[4 : 4+n]) // the committer has written it
	return string(h.Compression), int64(binary.LittleEndian.Uint32(head[4+n:]))
}

// both returns done, for two users of borrowed memory: the second call of the results calls done.
func both(done func()) (a, b func()) {
	if done == nil {
		return nil, func() {}
	}
	var left atomic.Int32
	left.Store(2)
	one := func() {
		if left.Add(-1) == 0 {
			done()
		}
	}
	return one, one
}

func (p *prover) content(j *job, before, body, after []byte) {
	p.hash.Begin(p.chunk.Compression, p.chunk.Size)
	switch {
	case j.large != nil:
		p.records(before, body, after)
	case p.chunk.Compression == string(None):
		p.records(j.buf, nil, nil)
	default:
		p.hash.Bytes(body)
		for _, e := range p.list {
			p.hash.Data(messageData(j.buf, e))
			p.add(e, p.hash.Loose())
		}
	}
	p.chunk.Content = p.hash.Sum()
}

// records hashes records. The last message's data may go on in rest.
func (p *prover) records(b []byte, rest ...[]byte) {
	at := 0
	for i, e := range p.list {
		start := dataStart(b, e)
		p.hash.Bytes(b[at:start])
		at = len(b)
		if i < len(p.list)-1 {
			at = start + int(binary.LittleEndian.Uint32(b[start-4:]))
		}
		p.hash.Data(b[start:at])
		if i == len(p.list)-1 {
			for _, part := range rest {
				p.hash.Data(part)
			}
		}
		p.add(e, p.hash.Message())
	}
}

func (p *prover) add(e entry, data proof.Digest) {
	p.chunk.Messages = append(p.chunk.Messages, proof.Message{Conn: e.conn, Time: int64(e.time), Data: data})
}

// dataStart returns where a message's data begin.
func dataStart(b []byte, e entry) int {
	return int(e.offset) + 8 + int(binary.LittleEndian.Uint32(b[e.offset:]))
}

func messageData(b []byte, e entry) []byte {
	start := dataStart(b, e)
	return b[start:][:binary.LittleEndian.Uint32(b[start-4:])]
}

// end waits until the chunk is hashed and, unless writing it failed, adds it to the log. size is that of the file.
func (p *prover) end(j *job, pos int64, index []byte, size int64, failed error) (m proof.Mark) {
	if p == nil {
		return m
	}
	p.wait.Wait()
	if failed != nil {
		return m
	}
	for _, c := range j.conns {
		p.log.Connection(proof.Connection{ID: c.ID, Topic: c.Topic, Type: c.Type, Digest: c.Digest()})
	}
	p.chunk.Pos, p.chunk.IndexSize, p.chunk.Index = pos, uint32(len(index)), proof.DigestOf(index)
	p.log.Chunk(&p.chunk)
	return p.mark(size)
}

// mark returns the state of the log, for a file of size bytes.
func (p *prover) mark(size int64) (m proof.Mark) {
	if p == nil {
		return m
	}
	return p.log.Mark(size)
}

// section adds an index section, with the padding up to end.
func (p *prover) section(pos int64, section []byte, conns, chunks int, end int64) (m proof.Mark) {
	if p == nil {
		return m
	}
	size := int64(len(section))
	p.log.Section(proof.Section{Pos: pos, Size: size, Pad: uint32(end - pos - size), Conns: uint32(conns), Chunks: uint32(chunks),
		Digest: proof.DigestOf(section)})
	return p.mark(end)
}

// sign signs the log up to m. It may be called by another goroutine than the other methods.
func (p *prover) sign(m proof.Mark, complete bool) {
	if p != nil {
		_ = p.log.Sign(m, complete) // close returns the error
	}
}

func (p *prover) rewind(m proof.Mark) {
	if p != nil {
		p.log.Rewind(m)
	}
}

func (p *prover) close() error {
	if p == nil {
		return nil
	}
	return p.log.Close()
}

// Digest returns the digest of all that describes a connection but its ID.
func (c *Connection) Digest() proof.Digest {
	same := *c
	same.ID = 0
	return proof.DigestOf(appendConnection(nil, &same))
}
