package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
)

// file is one file of dist, plain and compressed.
type file struct {
	name        string
	contentType string
	plain, gzip []byte
	hash        string
}

func open(name string) (*file, error) {
	plain, err := dist.ReadFile("dist/" + name)
	if err != nil {
		return nil, err
	}
	packed, err := dist.ReadFile("dist/" + name + ".gz")
	if err != nil {
		return nil, err
	}
	f := &file{name: name, contentType: types[path.Ext(name)], plain: plain, gzip: packed}
	if f.contentType == "" {
		return nil, fmt.Errorf("dist/%s: no content type is known for such a name", name)
	}
	sum := sha256.Sum256(plain)
	f.hash = hex.EncodeToString(sum[:12])
	return f, nil
}

func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	body, tag := f.plain, f.hash
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body, tag = f.gzip, f.hash+"-gz"
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(body))
}

// acceptsGzip tells whether a list of encodings has gzip, and not with weight 0.
func acceptsGzip(encodings string) bool {
	for item := range strings.SplitSeq(encodings, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(item), ";")
		if strings.TrimSpace(name) == "gzip" {
			return strings.Trim(strings.TrimSpace(weight), "0.") != "q="
		}
	}
	return false
}
