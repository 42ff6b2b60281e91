package place_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rsros/bagstore/place"
	"rsros/bagstore/place/internal/server"
	"rsros/test/bucket"
	"rsros/test/need"
)

func content(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(b) // never fails
	return b
}

// serve serves content, with a tag if there is one.
func serve(t *testing.T, b []byte, tag *string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		modified := time.Unix(1_600_000_000, 0)
		if *tag != "" {
			w.Header().Set("ETag", *tag)
			modified = time.Time{}
		}
		http.ServeContent(w, r, "a.bag", modified, bytes.NewReader(b))
	}))
	t.Cleanup(s.Close)
	return s
}

// TestRead checks that files of all sizes are read whole, from servers with and without tags.
func TestRead(t *testing.T) {
	for _, tag := range []string{"", `"one"`, `W/"one"`} {
		for _, n := range []int{0, 1, 64 << 10, 64<<10 + 1, 3 << 20} {
			want := content(n)
			f, err := place.Open(t.Context(), serve(t, want, &tag).URL+"/a.bag")
			if err != nil {
				t.Fatalf("%d bytes, tag %s: %v", n, tag, err)
			}
			got, err := io.ReadAll(io.NewSectionReader(f, 0, int64(n)+1))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, tag %s: read %d, %v", n, tag, len(got), err)
			}
			f.Close()
		}
	}
}

// TestChanged checks that a file that changes while it is read is an error.
func TestChanged(t *testing.T) {
	tag := `"one"`
	f, err := place.Open(t.Context(), serve(t, content(1<<20), &tag).URL)
	need.Must(t, err)
	defer f.Close()
	tag = `"two"`
	if _, err := f.ReadAt(make([]byte, 1), 1<<19); !errors.Is(err, place.ErrChanged) {
		t.Error(err)
	}
}

// TestUnwritable checks that a name that can't be written is refused before anything is asked for.
func TestUnwritable(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		if err := place.Free(t.Context(), "https://127.0.0.1:1/a.bag?sig=secret", overwrite); !errors.Is(err, place.ErrReadOnly) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %v", err, place.ErrReadOnly)
		}
	}
}

// TestSecrets checks that passwords and signatures are sent only to their host, and are in no error.
func TestSecrets(t *testing.T) {
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"), r.Header.Get("Referer"))
		w.WriteHeader(http.StatusForbidden)
	}))
	defer other.Close()
	authorized := false
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _, authorized = r.BasicAuth()
		http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+"/b.bag", http.StatusFound)
	}))
	defer first.Close()
	_, err := place.Open(t.Context(), strings.Replace(first.URL, "://", "://user:hunter2@", 1)+"/a.bag?X-Signature=feed")
	if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "feed") {
		t.Error(err)
	}
	if strings.Join(got, "") != "" || len(got) == 0 || !authorized {
		t.Errorf("%v went to the other host; authorized at the first: %v", got, authorized)
	}
	for _, name := range []string{"http://user:hunter2@127.0.0.1:1/a?feed", "http://user:hunter2@[bad/a?feed", "ftp://user:hunter2@host/a"} {
		if _, err := place.Open(t.Context(), name); err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "feed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAddressesOfOneName checks that addresses that differ only in what isn't shown are different ones.
func TestAddressesOfOneName(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1_600_000_000, 0), strings.NewReader("version "+r.URL.Query().Get("v")))
	}))
	defer s.Close()
	for _, query := range []string{"?v=1", "", "?v=2", "?v=1"} {
		_, version, _ := strings.Cut(query, "=")
		if b, err := place.Read(t.Context(), s.URL+"/a.bag"+query, 100); err != nil || string(b) != "version "+version {
			t.Errorf("%q: read %q, %v", query, b, err)
		}
	}
}

// TestNoFileRedirect checks that a redirect to a file isn't followed, nor tried again.
func TestNoFileRedirect(t *testing.T) {
	requests := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	}))
	defer s.Close()
	if _, err := place.Open(t.Context(), s.URL); !errors.Is(err, place.ErrUnusable) || requests != 1 {
		t.Errorf("%d requests, %v", requests, err)
	}
}

// TestNoRanges checks that a large file that is sent whole isn't read.
func TestNoRanges(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 1<<20)) // the client has enough
	}))
	defer s.Close()
	if _, err := place.Open(t.Context(), s.URL); err == nil || !strings.Contains(err.Error(), "range requests") {
		t.Error(err)
	}
}

// TestFaultTable checks that transient faults are survived with the right bytes.
func TestFaultTable(t *testing.T) {
	defer server.ScaleForTest(100)()
	want := content(1 << 20)
	for name, fault := range map[string]bucket.Fault{"reset": bucket.Reset, "503": bucket.Busy, "silent": bucket.Stall, "stalls inside": bucket.StallInside,
		"cut": bucket.Cut, "other range": bucket.WrongRange} {
		for at := 1; at <= 2; at++ {
			tag := `"one"`
			p := bucket.NewProxy(t, serve(t, want, &tag).URL)
			p.Inject(func(_ *http.Request, n int) bucket.Fault {
				if n == at {
					return fault
				}
				return bucket.None
			})
			f, err := place.Open(t.Context(), p.URL+"/a.bag")
			if err != nil {
				t.Errorf("%s in request %d: %v", name, at, err)
				continue
			}
			got := make([]byte, 500_000)
			if _, err := f.ReadAt(got, 300_000); err != nil || !bytes.Equal(got, want[300_000:800_000]) {
				t.Errorf("%s in request %d: %v", name, at, err)
			}
			f.Close()
		}
	}
}
