package main

import (
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"rsros/bagstore"
)

// progress shows a progress bar if standard error is a terminal. done removes the bar;
// log nothing before it, or the lines mix.
func (a *app) progress(name string, quiet bool) (report bagstore.Progress, done func()) {
	f, ok := a.raw.err.(*os.File)
	if quiet || a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	bars := mpb.New(mpb.WithOutput(f), mpb.WithWidth(50))
	bar := bars.New(0, mpb.BarStyle().Rbound("]").Lbound("["),
		mpb.PrependDecorators(decor.Name(printable(name))),
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
