// Package browser runs the viewer's page, or single modules of it, in a real browser
// for tests. Drawing is done in software, so neither a display nor a graphics card
// is needed; small pictures keep it fast.
package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"rsros/test/need"
)

// limit is how long anything in the browser may take. It is only there to end
// tests that would never end.
const limit = 40 * time.Second

// Page is a tab. Its methods may be called from the test's goroutine only.
type Page struct {
	t    testing.TB
	ctx  context.Context
	seen *problems
}

// problems is what went wrong in a page.
type problems struct {
	mu   sync.Mutex
	list []string
}

// For is the same page for a part of the test.
func (p *Page) For(t testing.TB) *Page { return &Page{t: t, ctx: p.ctx, seen: p.seen} }

// Open starts a browser with an empty page of a size in pixels. The test fails at
// its end if the page threw an exception, or wrote an error to the console, which
// violations of its content security policy are, too.
func Open(t testing.TB, width, height int) *Page {
	t.Helper()
	need.Programs(t, "chromium")
	p := &Page{t: t, seen: new(problems)}
	ctx, stop := context.WithTimeout(context.Background(), limit)
	ctx, closeBrowser := chromedp.NewContext(ctx,
		chromedp.WithAllocatorOptions(
			chromedp.NoSandbox, // the sandbox refuses to run as root
			chromedp.Flag("use-angle", "swiftshader"),
			chromedp.Flag("enable-unsafe-swiftshader", true),
			chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("hide-scrollbars", true),
			chromedp.Flag("force-device-scale-factor", "1"),
			chromedp.WindowSize(width, height),
			chromedp.WSURLReadTimeout(limit),
		),
		chromedp.WithListener(p.seen.listen),
	)
	p.ctx = ctx
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("close the browser: %v", err)
		}
		closeBrowser()
		stop()
		for _, problem := range p.seen.all() {
			t.Errorf("in the page: %s", problem)
		}
	})
	p.do(chromedp.EmulateViewport(int64(width), int64(height)))
	p.do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, log.Enable, cdp.Empty{})
		return err
	}))
	return p
}

// listen collects what went wrong in the page.
func (p *problems) listen(event any) {
	var problem string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		problem = exceptionText(e.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		if e.Type != runtime.ConsoleAPICalledTypeError && e.Type != runtime.ConsoleAPICalledTypeAssert {
			return
		}
		for _, a := range e.Args {
			problem += " " + string(a.Value) + a.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Level != log.EntryLevelError {
			return
		}
		problem = e.Entry.Text + " " + e.Entry.URL
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, strings.TrimSpace(problem))
}

func (p *problems) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

func (p *Page) do(a chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, a); err != nil {
		p.t.Fatalf("browser: %v", err)
	}
}

// Navigate opens an address and waits until it is loaded.
func (p *Page) Navigate(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// Eval returns what an expression gives; a promise is awaited.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("browser: evaluate %.200s: %v", expression, err)
	}
	return v
}

// Await waits until an expression is true. What says what is waited for.
func (p *Page) Await(what, expression string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression)); err != nil {
		p.t.Fatalf("wait for %s (%.200s): %v %q", what, expression, err, p.seen.all())
	}
}

// Click presses the left button at a place of the page; shift is held.
func (p *Page) Click(x, y float64, shift bool) {
	p.t.Helper()
	var options []chromedp.MouseOption
	if shift {
		options = append(options, chromedp.ButtonModifiers(chromedp.ModifierShift))
	}
	p.do(chromedp.MouseClickXY(x, y, options...))
}

// Move moves the pointer to a place of the page.
func (p *Page) Move(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
}

// Press clicks the button of a name.
func (p *Page) Press(name string) {
	p.t.Helper()
	const find = `[...document.querySelectorAll('button')].find((b) => (b.getAttribute('aria-label') ?? b.textContent) === %q)`
	at := Eval[struct{ X, Y float64 }](p, fmt.Sprintf(`(() => {
		const r = (`+find+`).getBoundingClientRect()
		return { X: r.left + r.width / 2, Y: r.top + r.height / 2 }
	})()`, name))
	p.Click(at.X, at.Y, false)
}

// Keys types on the keyboard.
func (p *Page) Keys(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// Screenshot writes what is seen to a file of RS_SCREENSHOTS, a folder, where
// that is set: somebody looks at it.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	folder := os.Getenv("RS_SCREENSHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644)
	}
	if err != nil {
		p.t.Errorf("screenshot: %v", err)
	}
}

func exceptionText(d *runtime.ExceptionDetails) string {
	text := fmt.Sprintf("%s at %s:%d", d.Text, d.URL, d.LineNumber)
	if d.Exception != nil {
		text += " " + d.Exception.Description
	}
	return text
}
