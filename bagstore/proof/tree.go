package proof

import "golang.org/x/mod/sumdb/tlog"

// tree is a Merkle tree that grows, as in RFC 6962. Its hashes are in memory: 64 bytes a leaf.
type tree struct {
	leaves int64
	hashes []tlog.Hash // of tlog, in the order of tlog.StoredHashIndex
}

// ReadHashes implements tlog.HashReader.
func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		list[i] = t.hashes[at]
	}
	return list, nil
}

func (t *tree) add(leaf []byte) error {
	more, err := tlog.StoredHashes(t.leaves, leaf, t)
	if err == nil {
		t.hashes = append(t.hashes, more...)
		t.leaves++
	}
	return err
}

// cut removes all leaves but the first n.
func (t *tree) cut(n int64) {
	t.hashes = t.hashes[:tlog.StoredHashCount(n)]
	t.leaves = n
}

// root returns the root of the first n leaves.
func (t *tree) root(n int64) (tlog.Hash, error) { return tlog.TreeHash(n, t) }
