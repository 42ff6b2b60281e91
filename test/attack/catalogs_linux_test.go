package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// catalogMemory bounds what a catalog may make a command keep resident.
const catalogMemory = 256 << 20

// TestHostileCatalogs lets catalog merge read catalogs of some MB that claim much more: it refuses them, and stays
// small.
func TestHostileCatalogs(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	a, dir, long := attack{t: t, program: peer.Released(t)}, t.TempDir(), strings.Repeat("x", 12<<10)
	names := func(n, bytes int) string { // n rows
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{\"name\":\"%d%s\"}\n", i, strings.Repeat("x", bytes))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"deep": `{"name":"x.bag","topics":` + strings.Repeat("[", 3<<20), "long": `{"name":"` + strings.Repeat(long, 400),
		"names": names(140, 1<<20), "many": names(20_000, 8_000),
		"topics": strings.Repeat(`{"name":"x.bag","topics":[{}`+strings.Repeat(",{}", 1<<20)+"]}\n", 10) + "{",
	} {
		a.refuseCatalog(dir, name+".jsonl", []byte(text))
	}
}

func (a attack) refuseCatalog(dir, name string, content []byte) {
	a.t.Helper()
	in, out := filepath.Join(dir, name), filepath.Join(dir, name+".out.jsonl")
	if err := os.WriteFile(in, content, 0o600); err != nil {
		a.t.Fatal(err)
	}
	log, code, resident := a.execute([]string{"catalog", "merge", in, "-o", out})
	_, err := os.Stat(out)
	if code != 1 || resident > catalogMemory || strings.Contains(log, "goroutine ") || err == nil {
		a.t.Errorf("%s: exit code %d, want 1; %d MB\n%.1000s", name, code, resident>>20, log)
	}
	a.t.Logf("%s: %d KB in the file, %d MB in memory: %.200s", name, len(content)>>10, resident>>20, log)
}
