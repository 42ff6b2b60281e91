package place

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"rsros/bagstore/place/internal/server"
)

// answering is a transport whose server always gives the same answer.
type answering struct{ http.Response }

func (a *answering) RoundTrip(q *http.Request) (*http.Response, error) {
	r := a.Response
	r.Request = q
	return &r, nil
}

// FuzzAnswers opens and reads a file from a server with arbitrary answers.
func FuzzAnswers(f *testing.F) {
	f.Add(206, "bytes 0-4/5", `"tag"`, "", int64(5), []byte("12345"))
	f.Add(206, "bytes 0-65535/9999999", `W/"tag"`, "Mon, 02 Jan 2006 15:04:05 GMT", int64(-1), bytes.Repeat([]byte("x"), 1<<16))
	f.Add(200, "", "", "yesterday", int64(5), []byte("12345"))
	f.Add(416, "bytes */0", "", "", int64(0), []byte(nil))
	f.Add(302, "", "", "", int64(0), []byte(nil))
	f.Fuzz(func(t *testing.T, status int, contentRange, tag, modified string, length int64, body []byte) {
		h := http.Header{"Content-Range": {contentRange}, "Etag": {tag}, "Last-Modified": {modified}, "Location": {tag}}
		client := &http.Client{CheckRedirect: redirect}
		s := &web{client}
		answer := func() {
			client.Transport = &answering{http.Response{StatusCode: status, Header: h, ContentLength: length, Body: io.NopCloser(bytes.NewReader(body))}}
		}
		answer()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o, err := s.Open(ctx, "http://user:hunter2@host/a.bag?sign")
		if err != nil {
			if strings.Contains(err.Error(), "hunter2") {
				t.Error(err)
			}
			return
		}
		i, head := o.Info(), o.(Header).Head()
		if i.Size < 0 || int64(len(head)) != min(i.Size, server.HeadBytes) || !bytes.HasPrefix(body, head) {
			t.Fatalf("%+v, %d bytes of head, %d of body", i, len(head), len(body))
		}
		if i.Size == 0 {
			return
		}
		answer()
		in, err := o.Range(ctx, 0, min(i.Size, 10))
		if err != nil {
			return
		}
		defer in.Close()
		if b, _ := io.ReadAll(in); len(b) > 10 || !bytes.HasPrefix(body, b) { // an error is one of the body
			t.Fatalf("read %d bytes", len(b))
		}
	})
}
