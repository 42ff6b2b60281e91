package s3_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"rsros/bagstore/place"
	"rsros/bagstore/place/internal/server"
	"rsros/bagstore/place/s3"
)

// use makes a server the one of s3 addresses.
func use(t *testing.T, s *httptest.Server) {
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Setenv("AWS_ENDPOINT_URL_S3", "")
	t.Setenv("AWS_ACCESS_KEY_ID", "tester")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	place.Register(s3.Scheme, &s3.Store{})
}

// TestListingRetried checks that a page that fails once is requested again, and that one that always
// fails ends the listing.
func TestListingRetried(t *testing.T) {
	t.Cleanup(server.ScaleForTest(100))
	const page = `<ListBucketResult><Name>walks</Name><Contents><Key>%d</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>` +
		`<IsTruncated>%v</IsTruncated><NextContinuationToken>%[1]d</NextContinuationToken></ListBucketResult>`
	for name, fault := range map[string]http.HandlerFunc{
		"503":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"reset": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<ListBucketResult><Name>walks</Name>")
		},
	} {
		for _, times := range []int{1, 1000} {
			var requests atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				token := r.URL.Query().Get("continuation-token")
				if n := int(requests.Add(1)); token == "1" && n <= 1+times {
					fault(w, r)
					return
				}
				fmt.Fprintf(w, page, len(token)+1, token == "")
			}))
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			use(t, s)
			var keys []string
			var last error
			for i, err := range place.List(t.Context(), "s3://walks/") {
				if last = err; err == nil {
					keys = append(keys, place.Base(i.Name))
				}
			}
			s.Close()
			if times == 1 && (last != nil || !slices.Equal(keys, []string{"1", "2"}) || requests.Load() != 3) {
				t.Errorf("%s once: %v in %d requests: %v", name, keys, requests.Load(), last)
			}
			if times > 1 && (last == nil || !slices.Equal(keys, []string{"1"}) || requests.Load() > 13) {
				t.Errorf("%s always: %v in %d requests: %v", name, keys, requests.Load(), last)
			}
		}
	}
}

// TestHostileListings checks that a listing ends soon and in little memory, whatever the server sends.
func TestHostileListings(t *testing.T) {
	const head = `<?xml version="1.0"?><ListBucketResult><Name>walks</Name>`
	object := func(n int) string {
		return fmt.Sprintf("<Contents><Key>%08d</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>x</ETag><Size>1</Size></Contents>", n)
	}
	page := func(objects, token string) string {
		return head + "<IsTruncated>true</IsTruncated><NextContinuationToken>" + token + "</NextContinuationToken>" + objects + "</ListBucketResult>"
	}
	var done chan struct{}
	endless := func(w http.ResponseWriter, text string) {
		_, _ = io.WriteString(w, head)
		text = strings.Repeat(text, 1000)
		for range 1 << 20 {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		answer  func(w http.ResponseWriter, n int, token string)
		objects int // at most
		text    string
	}{
		"the same token": {func(w http.ResponseWriter, n int, _ string) { _, _ = io.WriteString(w, page(object(n), "again")) }, 2, "doesn't end"},
		"tokens in turns": {func(w http.ResponseWriter, n int, _ string) {
			_, _ = io.WriteString(w, page(object(n), fmt.Sprint(n%3)))
		}, 4, "doesn't end"},
		"pages without objects": {func(w http.ResponseWriter, n int, _ string) { _, _ = io.WriteString(w, page("", fmt.Sprint(n))) }, 0, "doesn't end"},
		"a page without end":    {func(w http.ResponseWriter, _ int, _ string) { endless(w, object(1)) }, 0, "tags"},
		"small tags":            {func(w http.ResponseWriter, _ int, _ string) { endless(w, "<Contents/>") }, 0, "tags"},
		"a name without end": {func(w http.ResponseWriter, _ int, _ string) {
			_, _ = io.WriteString(w, head+"<Contents><Key>")
			endless(w, "k")
		}, 0, "bytes"},
		"deep": {func(w http.ResponseWriter, _ int, _ string) { endless(w, "<a>") }, 0, "tags"},
		"headers": {func(w http.ResponseWriter, _ int, _ string) {
			w.Header().Set("X-Amz-Long", strings.Repeat("k", 1<<20))
		}, 0, "header"},
		"silence": {func(w http.ResponseWriter, _ int, _ string) {
			_, _ = io.WriteString(w, head)
			_ = http.NewResponseController(w).Flush()
			<-done
		}, 0, "deadline"},
		"no XML": {func(w http.ResponseWriter, _ int, _ string) { _, _ = io.WriteString(w, "{}") }, 0, "EOF"},
	} {
		restore := server.ScaleForTest(100)
		n := 0
		done = make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			c.answer(w, n, r.URL.Query().Get("continuation-token"))
		}))
		use(t, s)
		objects := 0
		var last error
		for _, err := range place.List(t.Context(), "s3://walks/") {
			if last = err; err == nil {
				objects++
			}
		}
		if last == nil || !strings.Contains(last.Error(), c.text) || objects > c.objects || strings.Contains(c.text, "end") && !errors.Is(last, place.ErrUnusable) {
			t.Errorf("%s: %d objects, %v", name, objects, last)
		}
		restore()
		close(done)
		s.Close()
	}
}
