package attack

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"rsros/bagstore/tools/catalog"
	"rsros/test/need"
)

// catalogMemory bounds what a catalog may make a command keep resident: one group of rows, as large as it may be.
const catalogMemory = 256 << 20

// TestHostileCatalogs lets catalog merge read catalogs of some MB that claim much more: it refuses them, and stays
// small.
func TestHostileCatalogs(t *testing.T) {
	need.Programs(t, "go")
	a, dir := attack{t: t, program: build(t)}, t.TempDir()
	rows := func(n int, r catalog.Row) []catalog.Row {
		list := make([]catalog.Row, n)
		for i := range list {
			list[i] = r
			list[i].Name = fmt.Sprint("s3://b/", i, ".bag")
		}
		return list
	}
	long := strings.Repeat("x", 12<<10) // one value in the dictionary, many rows
	for name, list := range map[string][]catalog.Row{
		"dictionary": rows(14_000, catalog.Row{Error: long}), "rows": rows(200_000, catalog.Row{}), "topics": rows(1, catalog.Row{Topics: make([]catalog.Topic, 1<<21)}),
		"notes": rows(2, catalog.Row{Notes: make([]string, 1<<20)}),
	} {
		var b bytes.Buffer
		if err := pq.Write(&b, list, pq.Compression(&pq.Zstd), pq.DataPageVersion(2), pq.DefaultEncoding(&pq.RLEDictionary)); err != nil {
			t.Fatal(err)
		}
		a.refuseCatalog(dir, name+".parquet", b.Bytes())
	}
	for name, text := range map[string]string{
		"deep": `{"name":"x.bag","topics":` + strings.Repeat("[", 3<<20), "long": `{"name":"` + strings.Repeat(long, 400),
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
	log, code, resident := a.execute([]string{"catalog", "merge", in, "--out", out})
	_, err := os.Stat(out)
	if code != 1 || resident > catalogMemory || strings.Contains(log, "goroutine ") || err == nil {
		a.t.Errorf("%s: exit code %d, want 1; %d MB\n%.1000s", name, code, resident>>20, log)
	}
	a.t.Logf("%s: %d KB in the file, %d MB in memory: %.200s", name, len(content)>>10, resident>>20, log)
}
