package page

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"rsros/test/need"
	"rsros/test/peer"
)

// patience is how long a condition may take to become true on a slow machine.
const patience = 90 * time.Second

// browser is the one Chromium of all tests; each test has its own tab.
var browser struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

func TestMain(m *testing.M) {
	code := peer.Main(m)
	if browser.close != nil {
		browser.close()
	}
	os.Exit(code)
}

func startBrowser() {
	folder, err := os.MkdirTemp("", "rs-ros-chromium")
	if err != nil {
		browser.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox,
		chromedp.UserDataDir(folder),
		chromedp.WindowSize(1440, 900),
		chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("no-first-run", true),
		chromedp.Flag("force-device-scale-factor", "1"),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("force-prefers-reduced-motion", true),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	browser.err = chromedp.Do(ctx)
	browser.ctx = ctx
	browser.close = func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		stop()
		os.RemoveAll(folder)
	}
}

// tab is a tab of the browser. Any problem in it fails the test at its end: exceptions, errors and
// warnings on the console, blocked content, requests to another host.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string
	expected []string // substrings of problems that the test provokes
}

// newTab opens a tab.
func newTab(t testing.TB) *tab {
	t.Helper()
	need.Programs(t, "chromium")
	browser.once.Do(startBrowser)
	if browser.err != nil {
		t.Fatalf("start chromium: %v", browser.err)
	}
	b := &tab{t: t}
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithListener(b.event))
	b.ctx = ctx
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			if !slices.ContainsFunc(b.expected, func(e string) bool { return strings.Contains(p, e) }) {
				t.Errorf("in the page: %s", p)
			}
		}
		cancel()
	})
	b.do(chromedp.EmulateViewport(1440, 900))
	return b
}

func (b *tab) event(ev any) {
	problem := ""
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		problem = exception(e.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			var words []string
			for _, a := range e.Args {
				words = append(words, string(a.Value)+a.Description)
			}
			problem = "console: " + strings.Join(words, " ")
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			problem = fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		u := e.Request.URL
		if !strings.HasPrefix(u, "http://127.0.0.1:") && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:") {
			problem = "request to " + u
		}
	}
	if problem != "" {
		b.mu.Lock()
		b.problems = append(b.problems, problem)
		b.mu.Unlock()
	}
}

// expect lets a test provoke a problem.
func (b *tab) expect(substring string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, substring)
}

// timed returns the tab's context with a deadline for one step.
func (b *tab) timed() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, patience)
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	// The first use of a tab's context creates the tab, which must outlive a deadline.
	if chromedp.FromContext(b.ctx).Target == nil {
		need.Must(b.t, chromedp.Do(b.ctx))
	}
	ctx, cancel := b.timed()
	defer cancel()
	need.Must(b.t, chromedp.Do(ctx, actions...))
}

// eval evaluates an expression, awaits it if it is a promise, and decodes it into a T.
func eval[T any](b *tab, expression string, arguments ...any) T {
	b.t.Helper()
	for i, a := range arguments {
		text, err := json.Marshal(a)
		need.Must(b.t, err)
		expression = strings.ReplaceAll(expression, fmt.Sprintf("$%d", i+1), string(text))
	}
	ctx, cancel := b.timed()
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("evaluate %.200s: %v", expression, err)
	}
	return value
}

// await waits until an expression is true.
func (b *tab) await(expression string, arguments ...any) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for !eval[bool](b, "Promise.resolve(("+expression+")).then(Boolean)", arguments...) {
		if time.Now().After(deadline) {
			b.t.Fatalf("not true after %v: %s", patience, expression)
		}
		eval[bool](b, "new Promise(r => setTimeout(() => r(true), 20))")
	}
}

// move moves the pointer.
func (b *tab) move(x, y float64) {
	b.t.Helper()
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
}

// click presses the left button at a place, with modifier keys held.
func (b *tab) click(x, y float64, held ...chromedp.Modifier) {
	b.t.Helper()
	b.do(chromedp.MouseClickXY(x, y, chromedp.ButtonModifiers(held...)))
}

// press clicks the button with a name.
func (b *tab) press(name string) {
	b.t.Helper()
	at := eval[struct{ X, Y float64 }](b, `(() => {
		const r = [...document.querySelectorAll('button')].find((e) => (e.getAttribute('aria-label') ?? e.textContent) === $1).getBoundingClientRect()
		return { X: r.left + r.width / 2, Y: r.top + r.height / 2 }
	})()`, name)
	b.click(at.X, at.Y)
}

// saves lets the page save files, and returns a function that waits for the next one and returns its
// content.
func (b *tab) saves() (next func() []byte) {
	b.t.Helper()
	folder := b.t.TempDir()
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
			Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
		})
		return err
	}))
	return func() (content []byte) {
		b.t.Helper()
		peer.Await(b.t, "a file to be saved", func() bool {
			files, _ := filepath.Glob(filepath.Join(folder, "*"))
			for _, name := range files {
				var err error
				if content, err = os.ReadFile(name); err == nil && filepath.Ext(name) != ".crdownload" {
					return os.Remove(name) == nil
				}
			}
			return false
		})
		return content
	}
}

// keys types keys, one after the other.
func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// choose picks an item of a list as a user does.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	b.await(`document.querySelector($1)`, selector)
	eval[bool](b, `(() => { const s = document.querySelector($1); s.value = $2; s.dispatchEvent(new Event('change', { bubbles: true })); return true })()`, selector, value)
}

// screenshot saves a screenshot of the tab to the folder that PAGE_PICTURES names.
func (b *tab) screenshot(name string) {
	b.t.Helper()
	folder := os.Getenv("PAGE_PICTURES")
	if folder == "" {
		return
	}
	ctx, cancel := b.timed()
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	need.Must(b.t, err)
	need.Must(b.t, os.WriteFile(folder+"/"+name+".png", png, 0o644))
}

// exception returns the text of what was thrown.
func exception(d *runtime.ExceptionDetails) string {
	text := d.Text
	if d.Exception != nil {
		text += " " + d.Exception.Description
	}
	return text
}
