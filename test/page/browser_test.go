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
	"unicode"

	"rsros/test/need"
	"rsros/test/peer"
)

// patience is how long a condition may take to become true on a slow machine.
const patience = 90 * time.Second

// browser starts the one Chromium of all tests; each test has its own tab.
var browser = sync.OnceValues(func() (_ *devtools, err error) {
	running, err = startDevtools()
	return running, err
})

var running *devtools // nil before the first tab

func TestMain(m *testing.M) {
	code := peer.Main(m)
	if running != nil {
		running.close()
	}
	os.Exit(code)
}

// tab is a tab of the browser. Any problem in it fails the test at its end: exceptions, errors and
// warnings on the console, blocked content, requests to another host.
type tab struct {
	t       testing.TB
	browser *devtools
	session string

	mu       sync.Mutex
	problems []string
	expected []string        // substrings of problems that the test provokes
	loaded   map[string]bool // documents
}

// newTab opens a tab.
func newTab(t testing.TB) *tab {
	t.Helper()
	need.Programs(t, "chromium")
	chromium, err := browser()
	if err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	b := &tab{t: t, browser: chromium, loaded: make(map[string]bool)}
	ctx, cancel := timed()
	defer cancel()
	var target string
	target, b.session, err = chromium.open(ctx, b.event)
	need.Must(t, err)
	t.Cleanup(func() {
		ctx, cancel := timed()
		defer cancel()
		_ = chromium.call(ctx, "", "Target.closeTarget", map[string]any{"targetId": target}, nil)
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			if !slices.ContainsFunc(b.expected, func(e string) bool { return strings.Contains(p, e) }) {
				t.Errorf("in the page: %s", p)
			}
		}
	})
	b.resize(1440, 900)
	return b
}

// remote is a value of the page, such as one that was thrown.
type remote struct {
	Value       json.RawMessage
	Description string
}

// event notes problems.
func (b *tab) event(name method, params []byte) {
	var e struct {
		Name, LoaderID, Type string
		Args                 []remote
		ExceptionDetails     exception
		Entry                struct{ Level, Text, URL string }
		Request              struct{ URL string }
	}
	problem := ""
	if err := json.Unmarshal(params, &e); err != nil {
		problem = fmt.Sprintf("%s: %v", name, err)
	}
	switch u := e.Request.URL; {
	case name == "Page.lifecycleEvent" && e.Name == "load":
		b.mu.Lock()
		b.loaded[e.LoaderID] = true
		b.mu.Unlock()
	case name == "Runtime.exceptionThrown":
		problem = e.ExceptionDetails.String()
	case name == "Runtime.consoleAPICalled" && (e.Type == "error" || e.Type == "warning"):
		problem = "console:"
		for _, a := range e.Args {
			problem += " " + string(a.Value) + a.Description
		}
	case name == "Log.entryAdded" && (e.Entry.Level == "error" || e.Entry.Level == "warning"):
		problem = fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL)
	case name == "Network.requestWillBeSent" && !strings.HasPrefix(u, "http://127.0.0.1:") && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:"):
		problem = "request to " + u
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

// timed returns a context with a deadline for one step.
func timed() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

// call calls a method of the DevTools protocol.
func (b *tab) call(name method, params map[string]any, result any) {
	b.t.Helper()
	ctx, cancel := timed()
	defer cancel()
	need.Must(b.t, b.browser.call(ctx, b.session, name, params, result))
}

// open opens an address, and waits until it is loaded.
func (b *tab) open(url string) {
	b.t.Helper()
	var r struct{ LoaderID, ErrorText string }
	b.call("Page.navigate", map[string]any{"url": url}, &r)
	if r.ErrorText != "" {
		b.t.Fatalf("open %s: %s", url, r.ErrorText)
	}
	b.loads(url, func() bool { return r.LoaderID == "" || b.loaded[r.LoaderID] }) // "": the document stays
}

// reload loads the document again.
func (b *tab) reload() {
	b.t.Helper()
	b.mu.Lock()
	before := len(b.loaded)
	b.mu.Unlock()
	b.call("Page.reload", nil, nil)
	b.loads("it again", func() bool { return len(b.loaded) > before })
}

// loads waits until a document is loaded.
func (b *tab) loads(what string, loaded func() bool) {
	b.t.Helper()
	peer.Await(b.t, what+" to be loaded", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return loaded()
	})
}

// resize sets the size of the page.
func (b *tab) resize(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// eval evaluates an expression, awaits it if it is a promise, and decodes it into a T.
func eval[T any](b *tab, expression string, arguments ...any) T {
	b.t.Helper()
	for i, a := range arguments {
		text, err := json.Marshal(a)
		need.Must(b.t, err)
		expression = strings.ReplaceAll(expression, fmt.Sprintf("$%d", i+1), string(text))
	}
	var r struct {
		Result           struct{ Value T }
		ExceptionDetails *exception
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("evaluate %.200s: %v", expression, r.ExceptionDetails)
	}
	return r.Result.Value
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

// Modifier keys, as bits.
const (
	alt = 1 << iota
	ctrl
	_
	shift
)

// mouse sends an event of the mouse.
func (b *tab) mouse(kind string, x, y float64, held int) {
	b.t.Helper()
	params := map[string]any{"type": kind, "x": x, "y": y, "modifiers": held}
	if kind != "mouseMoved" {
		params["button"], params["clickCount"] = "left", 1
	}
	b.call("Input.dispatchMouseEvent", params, nil)
}

// move moves the pointer.
func (b *tab) move(x, y float64) {
	b.t.Helper()
	b.mouse("mouseMoved", x, y, 0)
}

// click presses the left button at a place, with modifier keys held.
func (b *tab) click(x, y float64, held int) {
	b.t.Helper()
	b.mouse("mousePressed", x, y, held)
	b.mouse("mouseReleased", x, y, held)
}

// press clicks the button with a name.
func (b *tab) press(name string) {
	b.t.Helper()
	at := eval[struct{ X, Y float64 }](b, `(() => {
		const r = [...document.querySelectorAll('button')].find((e) => (e.getAttribute('aria-label') ?? e.textContent) === $1).getBoundingClientRect()
		return { X: r.left + r.width / 2, Y: r.top + r.height / 2 }
	})()`, name)
	b.click(at.X, at.Y, 0)
}

// saves lets the page save files, and returns a function that waits for the next one and returns its
// content.
func (b *tab) saves() (next func() []byte) {
	b.t.Helper()
	folder := b.t.TempDir()
	b.call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": folder}, nil)
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

// Keys that aren't characters.
const (
	enter  = "\r"
	escape = "\x1b"
	tabKey = "\t"
	home   = "\ue000" // for private use in Unicode
)

type key struct {
	name, code string
	number     int // of the key in Windows; 0: the page doesn't ask for it
	text       string
}

var keys = map[rune]key{
	'\r': {"Enter", "Enter", 13, "\r"}, '\x1b': {"Escape", "Escape", 27, ""}, '\t': {"Tab", "Tab", 9, ""}, '\ue000': {"Home", "Home", 36, ""},
}

// keyOf returns the key that types a character.
func keyOf(r rune) key {
	k, named := keys[r]
	upper := unicode.ToUpper(r)
	switch {
	case named:
		return k
	case upper >= 'A' && upper <= 'Z':
		return key{string(r), "Key" + string(upper), int(upper), string(r)}
	case r >= '0' && r <= '9':
		return key{string(r), "Digit" + string(r), int(r), string(r)}
	}
	return key{name: string(r), text: string(r)}
}

// keys types keys, one after the other.
func (b *tab) keys(list string) {
	b.t.Helper()
	b.held(0, list)
}

// held types keys with modifier keys held.
func (b *tab) held(modifiers int, list string) {
	b.t.Helper()
	for _, r := range list {
		k := keyOf(r)
		press := map[string]any{"type": "keyDown", "key": k.name, "code": k.code, "windowsVirtualKeyCode": k.number, "modifiers": modifiers}
		if unicode.IsUpper(r) {
			press["modifiers"] = modifiers | shift
		}
		if modifiers&^shift == 0 && k.text != "" {
			press["text"] = k.text
		}
		b.call("Input.dispatchKeyEvent", press, nil)
		delete(press, "text")
		press["type"] = "keyUp"
		b.call("Input.dispatchKeyEvent", press, nil)
	}
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
	var r struct{ Data []byte }
	b.call("Page.captureScreenshot", nil, &r)
	need.Must(b.t, os.WriteFile(folder+"/"+name+".png", r.Data, 0o644))
}

// exception is what was thrown.
type exception struct {
	Text      string
	Exception *remote
}

func (e exception) String() string {
	if e.Exception == nil {
		return e.Text
	}
	return e.Text + " " + e.Exception.Description
}
