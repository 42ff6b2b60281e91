package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// TestRecordedNameIsDurable: each name of a recorded bag is made safe from a power cut: its folder is synced after the
// file was created, and again after it has its final name.
func TestRecordedNameIsDurable(t *testing.T) {
	t.Parallel()
	g := newJudge(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		need.Missing(t, "%v", err)
	}
	dir := t.TempDir()
	trace, bag := filepath.Join(dir, "trace"), filepath.Join(t.TempDir(), "x.bag")
	p := g.startWith(nil, strace, "-f", "-y", "-s", "4096", "-o", trace, "-e", "trace=openat,fsync,link,linkat,rename,renameat,renameat2",
		peer.Program(t), "record", "-O", bag, "--duration", "1s", "/chatter")
	p.Wait()
	text, err := os.ReadFile(trace)
	need.Must(t, err)
	active, folder := regexp.QuoteMeta(bag+".active"), regexp.QuoteMeta(filepath.Dir(bag))
	want := `openat\([^\n]*` + active + `"[^\n]*O_CREAT(?s:.*)fsync\(\d+<` + folder + `>(?s:.*)(?:link|rename)[^\n]*` + regexp.QuoteMeta(bag) + `"[^\n]*(?s:.*)fsync\(\d+<` + folder + `>`
	if !regexp.MustCompile(want).Match(text) {
		t.Errorf("nothing like %s in\n%s", want, text)
	}
}
