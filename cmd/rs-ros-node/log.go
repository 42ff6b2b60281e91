package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/node/view"
	"rsros/program"
	"rsros/ros"
)

// logFlags adds the flags of what is printed beside data.
func (a *app) logFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print errors only, beside the data that the command is for")
	f.Func("log-level", "`LEVEL` of the log: error, warn, info or debug (default info)", func(text string) (err error) {
		if a.level, err = zerolog.ParseLevel(text); err != nil || !slices.Contains(logLevels, text) {
			return errors.New("want error, warn, info or debug")
		}
		return nil
	})
	// the flag exists
	_ = root.RegisterFlagCompletionFunc("log-level", cobra.FixedCompletions(logLevels, cobra.ShellCompDirectiveNoFileComp))
}

var logLevels = []string{"error", "warn", "info", "debug"}

// logger logs to standard error, in colour on a terminal, and to the file of __log:=FILE,
// which roslaunch sets, and to /rosout and to others.
func (a *app) logger(others ...zerolog.LevelWriter) zerolog.Logger {
	level := a.level
	if a.quiet {
		level = zerolog.ErrorLevel
	}
	var screen io.Writer = a.terminal()
	writers := []io.Writer{a.ros.Rosout}
	for _, w := range others {
		writers = append(writers, w)
	}
	var failure error
	if a.ros.LogFile != "" && a.logFile == nil {
		a.logFile, failure = os.OpenFile(a.ros.LogFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	}
	if a.logFile != nil {
		writers = append(writers, console(a.patient(a.logFile), true))
		if a.outputIsLogged() {
			screen = &zerolog.FilteredLevelWriter{Writer: zerolog.LevelWriterAdapter{Writer: screen}, Level: zerolog.WarnLevel}
		}
	}
	a.ros.Rosout.SetLevel(level)
	log := zerolog.New(zerolog.MultiLevelWriter(append(writers, screen)...)).Level(level).
		Hook(a.ros.Rosout).With().Timestamp().Logger()
	if failure != nil {
		log.Warn().Err(failure).Msg("can't open the log file of __log:=")
	}
	return log
}

// loggerForViewers returns a logger, and the lines that viewers see.
func (a *app) loggerForViewers() (zerolog.Logger, *ros.LogWriter) {
	lines := ros.NewLogWriter(zerolog.InfoLevel)
	return a.logger(lines), lines
}

// serveViewers is loggerForViewers for a node that serves them.
func (a *app) serveViewers(to *view.Access) (log zerolog.Logger) {
	log, to.Lines = a.loggerForViewers()
	to.Announce = func(url string) {
		if !a.quiet {
			screen := zerolog.New(a.terminal()).With().Timestamp().Logger()
			screen.Info().Str("url", url).Msg("the viewer, with its token")
		}
	}
	return log
}

// terminal writes to standard error, or to what is shown there.
func (a *app) terminal() zerolog.ConsoleWriter {
	f, isFile := a.raw.err.(*os.File)
	out := a.raw.err
	if a.screen != nil {
		out = a.screen
	}
	return console(a.patient(out), !isFile || !enableColour(f))
}

// patient returns a writer of log lines for which a node doesn't wait. Other commands print lines between those of
// their data.
func (a *app) patient(out io.Writer) io.Writer {
	if !a.node {
		return out
	}
	l := program.NewLines(out)
	a.lines = append(a.lines, l)
	return l
}

func console(out io.Writer, plain bool) zerolog.ConsoleWriter {
	return zerolog.ConsoleWriter{Out: out, TimeFormat: time.TimeOnly, NoColor: plain,
		FormatPrepare: program.PrintableEvent}
}

// outputIsLogged reports whether roslaunch writes standard output to a file of its own, next to that of __log:=, as it
// does with output="log". Then the screen shows only warnings and errors, as for a roscpp node.
func (a *app) outputIsLogged() bool {
	out, ok := a.raw.out.(*os.File)
	if !ok {
		return false
	}
	info, err := out.Stat()
	if err != nil {
		return false
	}
	logged, err := os.Stat(strings.TrimSuffix(a.ros.LogFile, ".log") + "-stdout.log")
	return err == nil && os.SameFile(info, logged)
}
