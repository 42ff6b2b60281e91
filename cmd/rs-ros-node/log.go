package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
)

// logger writes to standard error: words for a person at a terminal, and the
// same without colour elsewhere. A command's node carries the lines to /rosout.
// With __log:=FILE, as roslaunch starts nodes, the lines also go to that file.
func (a *app) logger() zerolog.Logger {
	level := zerolog.InfoLevel
	if a.verbose {
		level = zerolog.DebugLevel
	}
	if a.quiet {
		level = zerolog.ErrorLevel
	}
	f, isFile := a.raw.err.(*os.File)
	var screen io.Writer = console(a.raw.err, !isFile || !takesColour(f))
	writers := []io.Writer{a.ros.Rosout}
	var failure error
	if a.ros.LogFile != "" {
		if a.logFile, failure = os.OpenFile(a.ros.LogFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); failure == nil {
			writers = append(writers, console(a.logFile, true))
			if a.printsToFile() {
				screen = &zerolog.FilteredLevelWriter{Writer: zerolog.LevelWriterAdapter{Writer: screen}, Level: zerolog.WarnLevel}
			}
		}
	}
	a.ros.Rosout.SetLevel(level)
	log := zerolog.New(zerolog.MultiLevelWriter(append(writers, screen)...)).Level(level).Hook(a.ros.Rosout).With().Timestamp().Logger()
	if failure != nil {
		log.Warn().Err(failure).Msg("the log file of __log:= can't be written")
	}
	return log
}

func console(out io.Writer, plain bool) zerolog.ConsoleWriter {
	return zerolog.ConsoleWriter{Out: out, TimeFormat: time.TimeOnly, NoColor: plain, FormatPrepare: printableEvent}
}

// printsToFile says whether standard output is a regular file: that of a node whose
// output roslaunch keeps from the screen (output="log"). Then only warnings and errors
// are shown, as of a roscpp node.
func (a *app) printsToFile() bool {
	out, ok := a.raw.out.(*os.File)
	if !ok {
		return false
	}
	info, err := out.Stat()
	return err == nil && info.Mode().IsRegular()
}
