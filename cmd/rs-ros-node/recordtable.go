package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"rsros/node/keys"
	"rsros/program"
	"rsros/program/work"
	"rsros/record"
)

// recordTable shows what is recorded, below the log lines on a terminal.
type recordTable struct {
	bars *mpb.Progress
	out  *os.File // the terminal
	in   *os.File // for keys; nil if it isn't a terminal
}

// tableSource is what a table shows and keys control.
type tableSource struct {
	figures func() []record.Figures
	help    string // of the keys
	keys    *keys.Commands
}

// newRecordTable returns nil unless standard error is a terminal that is this program's alone, which
// one below roslaunch isn't. From now on, log lines are written through the table.
func (a *app) newRecordTable() *recordTable {
	if a.quiet || a.ros.LogFile != "" || !isTerminal(a.raw.err) {
		return nil
	}
	t := &recordTable{out: a.raw.err.(*os.File)}
	t.bars = mpb.New(mpb.WithOutput(t.out), mpb.WithRefreshRate(tableEvery))
	if f := a.raw.in; f != nil && term.IsTerminal(int(f.Fd())) {
		t.in = f
	}
	a.screen = t
	return t
}

const tableEvery = 250 * time.Millisecond

// Write writes log lines above the table and, after its end, below.
func (t *recordTable) Write(lines []byte) (int, error) {
	n, err := t.bars.Write(lines)
	if errors.Is(err, mpb.ErrDone) {
		return t.out.Write(lines)
	}
	return n, err
}

// close ends the terminal's use. It may be called twice, and for nil.
func (t *recordTable) close() {
	if t != nil {
		program.AwaitReader(t.bars.Shutdown)
	}
}

// show shows a recording until stop, and leaves the last figures on the terminal.
func (t *recordTable) show(r tableSource) (stop func()) {
	if t == nil {
		return func() {}
	}
	rows := mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		_, height, err := term.GetSize(int(t.out.Fd()))
		if err != nil {
			return err
		}
		help := ""
		if t.in != nil {
			help = cmp.Or(r.keys.Question(), r.help)
		}
		_, err = io.WriteString(w, tableText(r.figures(), help, s.AvailableWidth, height-2))
		return err
	})
	bar := t.bars.MustAdd(0, nil, mpb.BarExtender(rows, false), mpb.BarFillerTrim())
	endKeys := func() {}
	if t.in != nil {
		endKeys = work.Run(context.Background(), func(ctx context.Context) {
			keys.Read(ctx, t.in, keys.Handler{Typed: func(input string) {
				for _, key := range input {
					r.keys.Press(string(key))
				}
			}})
		})
	}
	return func() {
		endKeys()
		program.AwaitReader(func() {
			bar.Abort(false)
			t.bars.Wait()
		})
	}
}

// column is one of the table's. Those with a higher rank are left out first on a narrow terminal.
type column struct {
	title string
	width int
	rank  int
	text  func(record.Row) string
}

var columns = []column{
	{"type", -20, 8, func(r record.Row) string { return r.Type }},
	{"pubs", 4, 5, publishers},
	{"Hz", 6, 1, func(r record.Row) string { return decimal(r.Rate, 6, 1) }},
	{"MB/s", 7, 2, func(r record.Row) string { return decimal(r.Speed/(1<<20), 7, 2) }},
	{"messages", 8, 3, func(r record.Row) string { return decimal(float64(r.Messages), 8, 0) }},
	{"MB", 8, 7, func(r record.Row) string { return decimal(float64(r.Bytes)/(1<<20), 8, 1) }},
	{"drops", 6, 0, func(r record.Row) string { return decimal(float64(r.Drops), 6, 0) }},
	{"queue", 8, 6, func(r record.Row) string { return decimal(float64(r.Queue)/(1<<20), 5, 1) + " MB" }},
	{"lost", 6, 4, func(r record.Row) string { return decimal(float64(r.Lost), 6, 0) }},
}

// publishers is empty for a stream.
func publishers(r record.Row) string {
	if r.Publishers < 0 {
		return ""
	}
	return fmt.Sprint(r.Publishers)
}

// decimal returns a number with some digits after its point, or with fewer if it is wider than a number of cells.
// What is still wider is in thousands.
func decimal(x float64, width, digits int) string {
	for ; digits > 0; digits-- {
		if text := fmt.Sprintf("%.*f", digits, x); len(text) <= width {
			return text
		}
	}
	if text := fmt.Sprintf("%.0f", x); len(text) <= width {
		return text
	}
	return fmt.Sprintf("%.0fk", x/1e3)
}

// minName is the smallest width of names before columns are left out.
const minName = 16

// tableText returns lines that fit a terminal of a size: a table, and below it the state of each recording and help.
// If there is no room for all rows, those with losses come first.
func tableText(list []record.Figures, help string, width, height int) string {
	var rows []record.Row
	for _, f := range list {
		rows = append(rows, f.Rows...)
	}
	var below []string
	for _, f := range list {
		for _, text := range append(f.Advice, f.Dropping) {
			below = append(below, wrap(strings.Fields(oneLine(text)), " ", width)...)
		}
		below = append(below, wrap(state(f), ", ", width)...)
	}
	below = append(below, wrap(strings.Split(help, "  "), "  ", width)...)
	total, hidden := 0, 0
	if len(rows) > 1 {
		total = 1
	}
	if room := max(height-1-total-len(below), 0); len(rows) > room {
		slices.SortStableFunc(rows,
			func(a, b record.Row) int { return cmp.Compare(min(b.Drops+b.Lost, 1), min(a.Drops+a.Lost, 1)) })
		shown := max(room-1, 0)
		rows, hidden = rows[:shown], len(rows)-shown
	}
	shared := sharedPrefix(rows)
	t := newLayout(rows, width)
	var b strings.Builder
	t.line(&b, "topic", func(c column) string { return c.title })
	for _, r := range rows {
		t.line(&b, t.short(oneLine(r.Name), shared), func(c column) string { return oneLine(c.text(r)) })
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "%s\n", clip(fmt.Sprintf("and %d more; ~status has all", hidden), width))
	}
	if total > 0 {
		sum := record.Total(list...)
		t.line(&b, "total", func(c column) string { return c.text(sum) })
	}
	for _, line := range below {
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

// state describes a recording in a few words each.
func state(f record.Figures) (words []string) {
	what := "recording "
	if f.Paused {
		what = "paused "
	}
	words = append(words, what+oneLine(f.File), f.Duration.Truncate(time.Second).String())
	if f.Files > 1 {
		words = append(words, fmt.Sprintf("%d files", f.Files))
	}
	words = append(words, program.SizeText(f.Bytes))
	if f.Free >= 0 {
		words = append(words, program.SizeText(f.Free)+" free")
	}
	words = append(words, "compression "+cmp.Or(f.Compression, "none"))
	if f.Ring != "" {
		words = append(words, strings.Split(oneLine("ring: "+strings.ReplaceAll(f.Ring, "; ", ", ")), ", ")...)
	}
	if f.Uploads != "" {
		words = append(words, oneLine("upload: "+f.Uploads))
	}
	return words
}

// wrap joins words to lines of at most width cells. A longer word, such as a path, has lines of its own, up to maxFolds
// of them.
func wrap(words []string, separator string, width int) (lines []string) {
	line := ""
	for _, word := range words {
		switch joined := line + separator + word; {
		case line == "":
			line = word
		case runewidth.StringWidth(joined) <= width:
			line = joined
		default:
			lines = append(lines, fold(line, width)...)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, fold(line, width)...)
	}
	return lines
}

// A line is folded up to maxFolds times, on a terminal of at least minFold cells.
const (
	maxFolds = 3
	minFold  = 20
)

func fold(line string, width int) (lines []string) {
	for range maxFolds {
		if width < minFold || runewidth.StringWidth(line) <= width {
			break
		}
		head := runewidth.Truncate(line, width, "")
		lines, line = append(lines, head), line[len(head):]
	}
	return append(lines, clip(line, width))
}

// layout has the columns of a table for which there is room, and the width of names.
type layout struct {
	columns []column
	name    int
}

// newLayout lays out the table. It leaves out the publishers if there are only streams. Types take what names leave.
func newLayout(rows []record.Row, width int) (t layout) {
	longest, types := minName, 0
	topics := false
	for _, r := range rows {
		longest, types = max(longest, runewidth.StringWidth(oneLine(r.Name))),
			max(types, runewidth.StringWidth(oneLine(r.Type)))
		topics = topics || r.Publishers >= 0
	}
	for most := len(columns); ; most-- {
		t = layout{name: width - 1}
		for _, c := range columns {
			if c.rank < most && (c.title != "pubs" || topics) {
				t.columns = append(t.columns, c)
				t.name -= max(c.width, -c.width) + 1
			}
		}
		if t.name >= minName || most == 0 {
			break
		}
	}
	if spare := t.name - longest; spare > 0 {
		t.name = longest
		if len(t.columns) > 0 && t.columns[0].title == "type" {
			c := &t.columns[0]
			c.width = -min(-c.width+spare, max(types, -c.width))
		}
	}
	t.name = max(t.name, 1)
	return t
}

// sharedPrefix returns the namespaces that begin the names of the most rows, at least two: what a narrow terminal has
// room for after them is what tells names apart.
func sharedPrefix(rows []record.Row) string {
	counts := map[string]int{}
	best := ""
	for _, r := range rows {
		name := oneLine(r.Name)
		for i := 1; i < len(name); i++ {
			if name[i] != '/' {
				continue
			}
			counts[name[:i]]++
			if n := counts[name[:i]]; n > counts[best] || n == counts[best] && i > len(best) {
				best = name[:i]
			}
		}
	}
	if counts[best] < 2 {
		return ""
	}
	return best
}

// short returns a name without the shared prefix if there is no room for all of it.
func (t layout) short(name, shared string) string {
	if rest, ok := strings.CutPrefix(name, shared); ok && strings.HasPrefix(rest, "/") && shared != "" &&
		runewidth.StringWidth(name) > t.name {
		return "…" + rest
	}
	return name
}

func (t layout) line(b *strings.Builder, first string, cell func(column) string) {
	b.WriteString(runewidth.FillRight(clip(first, t.name), t.name))
	for _, c := range t.columns {
		fill, width := runewidth.FillLeft, c.width
		if width < 0 {
			fill, width = runewidth.FillRight, -width
		}
		b.WriteString(" " + fill(clip(cell(c), width), width))
	}
	b.WriteString("\n")
}

// clip returns text that isn't wider than a number of cells, at least one.
func clip(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// oneLine returns text as a printer writes it, but without line feeds and tabs.
func oneLine(text string) string { return lineEscape.Replace(program.Printable(text)) }

var lineEscape = strings.NewReplacer("\n", `\n`, "\t", `\t`)
