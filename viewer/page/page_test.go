package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

// maxPage is how many bytes a browser may have to load before it shows images,
// compressed. The 3D view comes when it is wanted.
const maxPage = 60_000

// TestDistIsBuilt builds the page again and compares it with what is committed.
func TestDistIsBuilt(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		need.Missing(t, "%v", err)
	}
	dir := filepath.Join(t.TempDir(), "dist")
	bundle := exec.Command("go", "run", "rsros/viewer/page/internal/bundle", dir)
	if out, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("bundle: %v\n%s", err, out)
	}
	built, kept := files(t, os.DirFS(dir)), files(t, mustSub(t))
	for _, name := range slices.Sorted(maps.Keys(built)) {
		if !bytes.Equal(built[name], kept[name]) {
			t.Errorf("dist/%s isn't what its sources make: go generate ./viewer/page", name)
		}
	}
	if len(kept) != len(built) {
		t.Errorf("dist has %d files, its sources make %d: go generate ./viewer/page", len(kept), len(built))
	}
}

func mustSub(t *testing.T) fs.FS {
	t.Helper()
	sub, err := fs.Sub(dist, "dist")
	need.Must(t, err)
	return sub
}

// files reads a folder. Compressed files are decompressed, because other versions of
// Go may compress in another way.
func files(t *testing.T, folder fs.FS) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	names, err := fs.Glob(folder, "*")
	need.Must(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		need.Must(t, err)
		if strings.HasSuffix(name, ".gz") {
			text = decompressed(t, name, text)
		}
		all[name] = text
	}
	return all
}

func decompressed(t *testing.T, name string, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}

// TestFunctions runs the tests of what the page computes.
func TestFunctions(t *testing.T) {
	need.Programs(t, "node")
	dir := t.TempDir()
	for _, args := range [][]string{
		{"go", "run", "rsros/viewer/page/internal/bundle", dir, "test/functions.test.ts", "--platform=node", "--out-extension:.js=.mjs"},
		{"node", "--test", filepath.Join(dir, "functions.test.mjs")},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
}

func TestPageIsSmall(t *testing.T) {
	size, seen := 0, map[string]bool{}
	imported := regexp.MustCompile(`(?:from|import)"\./([^"]+)"`)
	var load func(name string)
	load = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		f, err := open(name)
		need.Must(t, err)
		size += len(f.gzip)
		for _, m := range imported.FindAllSubmatch(f.plain, -1) {
			load(string(m[1]))
		}
	}
	for _, name := range []string{"index.html", "app.css", "app.js", "worker.js"} {
		load(name)
	}
	t.Logf("%d bytes in %d files", size, len(seen))
	if size > maxPage {
		t.Errorf("the page is %d bytes compressed, more than %d", size, maxPage)
	}
}

// TestThirdParty compares the modules of others with third_party/SUMS.
func TestThirdParty(t *testing.T) {
	list, err := os.ReadFile("third_party/SUMS")
	need.Must(t, err)
	said := map[string]string{}
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) == 2 {
			said[fields[1]] = fields[0]
		}
	}
	found := map[string]string{}
	err = filepath.WalkDir("third_party", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "SUMS" {
			return err
		}
		text, err := os.ReadFile(name)
		sum := sha256.Sum256(text)
		rel, _ := filepath.Rel("third_party", name)
		found[filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
		return err
	})
	need.Must(t, err)
	if !maps.Equal(said, found) {
		t.Errorf("third_party/SUMS says\n%v\nthe files are\n%v", said, found)
	}
}

// TestHandler asks for the page as browsers do: compressed or not, and again.
func TestHandler(t *testing.T) {
	h, err := Handler()
	need.Must(t, err)
	get := func(path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	plain := get("/")
	packed := get("/", "Accept-Encoding", "br, gzip")
	if got := packed.Header().Get("Content-Encoding"); got != "gzip" {
		t.Errorf("content encoding %q, expected gzip", got)
	}
	if !bytes.Equal(decompressed(t, "/", packed.Body.Bytes()), plain.Body.Bytes()) {
		t.Error("the compressed page is another one")
	}
	if got := plain.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("content type %q", got)
	}
	if refused := get("/", "Accept-Encoding", "gzip;q=0"); refused.Header().Get("Content-Encoding") != "" {
		t.Error("gzip was sent to a client that refuses it")
	}
	tag := packed.Header().Get("ETag")
	if again := get("/", "Accept-Encoding", "gzip", "If-None-Match", tag); again.Code != http.StatusNotModified {
		t.Errorf("status %d for the same ETag %s, expected 304", again.Code, tag)
	}
	for _, name := range []string{"/app.js.gz", "/nothing", "/../page.go"} {
		if w := get(name); w.Code == http.StatusOK {
			t.Errorf("GET %s: status 200", name)
		}
	}
	if js := get("/worker.js"); js.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("worker.js has content type %q", js.Header().Get("Content-Type"))
	}
}
