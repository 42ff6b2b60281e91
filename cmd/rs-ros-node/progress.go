package main

import (
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/program"
)

// progress shows a progress bar if standard error is a terminal, else it logs a line every few
// seconds. done removes the bar; log nothing before it, or the lines mix.
func (a *app) progress(name string, quiet bool) (report bagstore.Progress, done func()) {
	if quiet {
		return nil, func() {}
	}
	report, _, done = a.progressOver(name)
	return report, done
}

// progressLines returns nil for a recording of batch, which keeps what is logged.
func (a *app) progressLines(name string) bagstore.Progress {
	if _, ok := a.raw.err.(*os.File); !ok || a.quiet {
		return nil
	}
	log := a.logger()
	return program.ProgressLines(name, time.Now, func(line string) { log.Info().Msg(line) })
}

// progressOver is progress, with the bar below the lines that the command prints meanwhile.
func (a *app) progressOver(name string) (report bagstore.Progress, lines io.Writer, done func()) {
	if a.quiet || !isTerminal(a.raw.err) {
		return a.progressLines(name), a.out, func() {}
	}
	bars := mpb.New(mpb.WithOutput(a.raw.err), mpb.WithWidth(50))
	report, done = newBar(bars, name)
	if !isTerminal(a.raw.out) {
		return report, a.out, done
	}
	return report, program.NewPrinter(bars), done
}

// fetching shows a progress bar while a .db3 file at an address is fetched.
func (a *app) fetching(name string) bagstore.Progress {
	var report bagstore.Progress
	end := func() {}
	return func(done, total uint64) {
		if report == nil {
			report, end = a.progress("fetching "+place.Base(name), false)
		}
		if report.Report(done, total); done == total {
			end()
		}
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func newBar(bars *mpb.Progress, name string) (report bagstore.Progress, done func()) {
	bar := bars.New(0, mpb.BarStyle().Rbound("]").Lbound("["),
		mpb.PrependDecorators(decor.Name(program.Printable(name))),
		mpb.AppendDecorators(decor.Percentage(), decor.Name(" "), decor.AverageETA(decor.ET_STYLE_GO)))
	shown := uint64(0)
	report = func(done, total uint64) {
		if done >= shown && done-shown < total/1000 && done != total {
			return
		}
		shown = done
		bar.SetTotal(int64(total), false)
		bar.SetCurrent(int64(done))
	}
	return report, func() {
		bar.Abort(true)
		bars.Wait()
	}
}
