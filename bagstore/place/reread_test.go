package place

import (
	"bytes"
	"testing"
)

// TestRereadFails checks that a full disk only ends the use of the temporary file, and that the last user gives it back.
func TestRereadFails(t *testing.T) {
	of := Info{Name: "s3://walks/again.bag", Size: 3 * blockSize}
	r := rereadOf(of, true)
	if again := rereadOf(of, false); r == nil || again != r {
		t.Fatal("two users have two files")
	}
	want := bytes.Repeat([]byte("a"), blockSize)
	r.save(2, want)
	r.close()
	if got := r.load(2, blockSize); !bytes.Equal(got, want) || r.load(1, blockSize) != nil {
		t.Errorf("%d bytes of a block that was kept, %d of another one", len(got), len(r.load(1, blockSize)))
	}
	if err := r.file.Close(); err != nil { // as a full disk does, it fails from now on
		t.Fatal(err)
	}
	r.save(1, want)
	if r.load(1, blockSize) != nil || r.load(2, blockSize) != nil || r.file != nil {
		t.Error("the file is used after an error")
	}
	r.close()
	if rereadOf(of, false) != nil {
		t.Error("the file is still known")
	}
}

// TestRereadLeavesRoom checks that nothing is kept if the disk has less room than the object has bytes.
func TestRereadLeavesRoom(t *testing.T) {
	r := rereadOf(Info{Name: "s3://walks/huge.bag", Size: 1 << 62}, true)
	defer r.close()
	r.save(1, make([]byte, blockSize))
	if r.file != nil || r.load(1, blockSize) != nil {
		t.Error("a block was kept")
	}
}
