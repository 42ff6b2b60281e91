package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"rsros/node/keys"
	"rsros/node/record"
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
	help    string            // of the keys
	keys    map[string]func() // by what is typed
}

// newRecordTable returns nil unless standard error is a terminal that is this program's alone, which
// one below roslaunch isn't. From now on, log lines are written through the table.
func (a *app) newRecordTable(quiet bool) *recordTable {
	if quiet || a.quiet || a.ros.LogFile != "" || !isTerminal(a.raw.err) {
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
		t.bars.Shutdown()
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
		text := tableText(r.figures(), s.AvailableWidth, height-3)
		if t.in != nil {
			text += clip(r.help, s.AvailableWidth) + "\n"
		}
		_, err = io.WriteString(w, text)
		return err
	})
	bar := t.bars.MustAdd(0, nil, mpb.BarExtender(rows, false), mpb.BarFillerTrim())
	endKeys := func() {}
	if t.in != nil {
		ctx, cancel := context.WithCancel(context.Background())
		var reading sync.WaitGroup
		endKeys = func() {
			cancel()
			reading.Wait()
		}
		reading.Go(func() {
			keys.Read(ctx, t.in, keys.Handler{Typed: func(input string) {
				for _, key := range input {
					if do := r.keys[string(key)]; do != nil {
						do()
					}
				}
			}})
		})
	}
	return func() {
		endKeys()
		bar.Abort(false)
		t.bars.Wait()
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
	{"type", -24, 6, func(r record.Row) string { return r.Type }},
	{"Hz", 7, 1, func(r record.Row) string { return fmt.Sprintf("%.1f", r.Rate) }},
	{"MB/s", 7, 2, func(r record.Row) string { return fmt.Sprintf("%.2f", r.Speed/1e6) }},
	{"messages", 9, 3, func(r record.Row) string { return fmt.Sprint(r.Messages) }},
	{"drops", 7, 0, func(r record.Row) string { return fmt.Sprint(r.Drops) }},
	{"queue", 8, 5, func(r record.Row) string { return fmt.Sprintf("%.1f MB", float64(r.Queue)/1e6) }},
	{"lost", 7, 4, func(r record.Row) string { return fmt.Sprint(r.Lost) }},
}

// minName is the smallest width of names before columns are left out.
const minName = 16

// tableText returns lines that fit a terminal of a size.
func tableText(list []record.Figures, width, height int) string {
	chosen, name := choose(width)
	longest := minName
	for _, f := range list {
		for _, row := range f.Rows {
			longest = max(longest, len(row.Name))
		}
	}
	name = min(name, longest)
	var b strings.Builder
	line := func(first string, cell func(column) string) {
		fmt.Fprintf(&b, "%-*s", name, clip(first, name))
		for _, c := range chosen {
			n := max(c.width, -c.width)
			fmt.Fprintf(&b, " %*s", c.width, clip(cell(c), n))
		}
		b.WriteString("\n")
	}
	line("topic", func(c column) string { return c.title })
	left := height - len(list) - 2 // lines for rows
	hidden := 0
	for _, f := range list {
		for _, row := range f.Rows {
			if left--; left < 0 {
				hidden++
				continue
			}
			line(printable(row.Name), func(c column) string { return printable(c.text(row)) })
		}
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "%s\n", clip(fmt.Sprintf("and %d more; ~status has all", hidden), width))
	}
	for _, f := range list {
		state := "recording"
		if f.Paused {
			state = "paused"
		}
		text := fmt.Sprintf("%s %s, %v, %.1f MB", state, printable(f.File), f.Duration.Truncate(time.Second), float64(f.Bytes)/1e6)
		if f.Ring != "" {
			text += ", ring: " + printable(f.Ring)
		}
		fmt.Fprintf(&b, "%s\n", clip(text, width))
	}
	return b.String()
}

// choose returns the columns for which there is room, and the width of names.
func choose(width int) (chosen []column, name int) {
	for most := len(columns); ; most-- {
		chosen, name = nil, width-1
		for _, c := range columns {
			if c.rank < most {
				chosen = append(chosen, c)
				name -= max(c.width, -c.width) + 1
			}
		}
		if name >= minName || most == 0 {
			return chosen, max(name, 1)
		}
	}
}

// clip returns text that isn't wider than a number of cells.
func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:max(width-1, 0)]) + "…"
	}
	return text
}
