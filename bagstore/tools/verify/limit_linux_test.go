package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/test/peer"
)

// limitFiles lets writing fail beyond a length of files, as on a full disk.
func limitFiles(bytes string) bool {
	n, err := strconv.ParseUint(bytes, 10, 63)
	if err != nil {
		return false
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		panic(err)
	}
	return true
}

// TestFull lets the disk fail while a recorder writes: what it takes back is no part of the tree.
func TestFull(t *testing.T) {
	key := testKeyFile(t)
	k, err := proof.ReadKey(key, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		path := filepath.Join(t.TempDir(), "walk.bag")
		cmd := peer.Again()
		cmd.Env = append(os.Environ(), "VERIFY_RECORDER="+path, "VERIFY_KEY="+key, fmt.Sprint("VERIFY_SINK=", int(bagstore.Buffered)),
			"VERIFY_COMPRESSION="+[]string{"none", "lz4"}[i%2], fmt.Sprint("VERIFY_LIMIT=", 200_000+i*71_234))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lines := strings.Fields(string(out))
		safe := 0
		if len(lines) > 0 {
			safe, _ = strconv.Atoi(lines[len(lines)-1])
		}
		rep := verified(t, path, k.Public())
		if !rep.Same() || rep.Complete || rep.Messages < uint64(safe) {
			t.Errorf("limit %d: %d messages of %d are proven: %s", i, rep.Messages, safe, text(rep))
		}
		b, err := bagstore.Check(t.Context(), path, bagstore.CheckOptions{})
		if err != nil || rep.Unproven == 0 && b.Messages != rep.Messages {
			t.Errorf("limit %d: %d messages are proven, check finds %d: %v", i, rep.Messages, b.Messages, err)
		}
	}
}
