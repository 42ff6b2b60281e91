package browser

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"rsros/test/peer"
)

// Downloads are the files that a page saves.
type Downloads struct{ folder string }

// Downloads lets the page save files.
func (p *Page) Downloads() Downloads {
	p.t.Helper()
	d := Downloads{p.t.TempDir()}
	p.do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: d.folder,
		})
		return err
	}))
	return d
}

// Await waits for a file that is whole, and returns what is in it. The next call
// waits for the next one.
func (d Downloads) Await(t testing.TB) []byte {
	t.Helper()
	var content []byte
	peer.Await(t, "a file to be saved", func() bool {
		files, err := os.ReadDir(d.folder)
		if err != nil {
			return false
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".crdownload") || strings.HasPrefix(f.Name(), ".") {
				continue
			}
			path := filepath.Join(d.folder, f.Name())
			if content, err = os.ReadFile(path); err == nil {
				return os.Remove(path) == nil
			}
		}
		return false
	})
	return content
}
