// Package page is the page of the viewer. Its sources are below src, in TypeScript; go generate bundles them to dist,
// which is committed and embedded, so that building the program needs no other tool. [Handler] serves it. The page and
// the program talk as docs/internals/view-protocol.md says.
package page

import (
	"embed"
	"net/http"
	"strings"
)

//go:generate go run rsros/viewer/page/internal/bundle

//go:embed dist
var dist embed.FS

// types are those of the files in dist, by the ends of their names.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// Handler serves the files of the page at the root: "/" is index.html. Each has a strong ETag and is revalidated at
// each use, so that another version of the program is seen at once; browsers that accept gzip get it as it is embedded.
// Headers for security are the caller's. It may be used by several goroutines at a time.
func Handler() (http.Handler, error) {
	entries, err := dist.ReadDir("dist")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".gz") {
			continue
		}
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		mux.Handle("GET /"+name, f)
		if name == "index.html" {
			mux.Handle("GET /{$}", f)
		}
	}
	return mux, nil
}
