package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/node/settings"
	"rsros/program"
	"rsros/program/help"
	"rsros/ros/graph"
	"rsros/ros2"
	"rsros/tools/bagset"
	"rsros/tools/dataset"
	"rsros/tools/reprocess"
)

// streams are the process's standard streams: data goes to out, the log to err.
type streams struct {
	in   *os.File
	out  io.Writer
	err  io.Writer
	exit func(code int) // ends the process; nil in tests
}

// report prints an error and returns the exit code for it.
func (s streams) report(err error) int {
	code := exitCode(err)
	if code != exitOK {
		out := program.NewLines(s.err)
		defer out.Close()                                         //nolint:errcheck // it has none
		lines := slices.Compact(strings.Split(err.Error(), "\n")) // several workers may have the same error
		fmt.Fprintln(out, "rs-ros-node:", program.Printable(strings.Join(lines, "\n")))
	}
	return code
}

// app is shared by all commands. Commands print to out and err, which escape what isn't
// printable; raw are the process's own streams, for drawing on a terminal.
type app struct {
	out, err *program.Printer
	raw      streams
	screen   io.Writer    // of log lines, instead of raw.err; may be nil
	ros      graph.Config // from remaps (a:=b, __name:=x, _p:=v) and the environment
	logFile  *os.File     // of __log:=, opened by logger; may be nil
	node     bool         // the command is one; see isNode
	lines    []*program.Lines
	level    zerolog.Level // of the log
	quiet    bool          // errors only

	cache     string // folder of --cache
	cacheSize int64  // 0 is the default
}

// run executes one command line and returns the process's exit code.
func run(ctx context.Context, args []string, std streams, environ []string) int {
	return std.report(execute(ctx, args, std, environ))
}

func execute(ctx context.Context, args []string, std streams, environ []string) error {
	args = concealed(args)
	translated, invalid := ros2.ROS1Args(args)
	conf, rest, err := graph.ParseArgs(translated, environ)
	err = cmp.Or(invalid, err)
	settings.FromROS2(conf.PrivateParams)
	if isCompletion(args) {
		rest, err = args, nil // unfinished words are no ROS arguments
	}
	if err != nil {
		return usageError{err}
	}
	a := &app{out: program.NewPrinter(std.out), err: program.NewPrinter(std.err), raw: std, ros: conf,
		level: zerolog.InfoLevel}
	place.Register(place.Stream, &place.Streams{In: std.in, Out: std.out})
	root := newRootCommand(a)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		std.endInTime(cmd, args)
		a.node = isNode(cmd)
		return a.useCache()
	}
	root.SetIn(std.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.InitDefaultCompletionCmd() // takes root's streams
	if len(args) == 0 {
		rest = []string{"-h"} // rosrun and launch files add remappings or parameters
	}
	if rest, err = withDefaultCommand(root, rest); err != nil {
		return err
	}
	if rest, err = expandFlags(root, rest); err != nil {
		return usageError{err}
	}
	root.SetArgs(rest)
	cmd, err := root.ExecuteContextC(ctx)
	if errors.Is(err, context.Canceled) && !isNode(cmd) {
		err = errInterrupted
	}
	if alone := (graph.MasterError{}); errors.As(err, &alone) && errors.Is(err, context.Canceled) {
		err = alone // it waited for a master
	}
	a.logTraffic()
	for _, l := range a.lines {
		err = errors.Join(err, l.Close())
	}
	err = withHelp(cmd, err)
	if lost := a.out.Close(); !errors.Is(err, lost) {
		err = errors.Join(err, lost) // the command didn't check each write
	}
	_ = a.err.Close() // a lost line of the log is no failure
	if a.logFile != nil {
		err = errors.Join(err, a.logFile.Close())
	}
	return err
}

// withDefaultCommand makes live the command, for rosrun and roslaunch. It returns an error if the
// command line names a command that doesn't exist.
func withDefaultCommand(root *cobra.Command, args []string) ([]string, error) {
	if isCompletion(args) {
		return args, nil
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return nil, unknownCommand(root, err)
	}
	switch {
	case cmd != root || slices.ContainsFunc(rest, isHelp):
		return args, nil
	case slices.Contains(rest, "--version"): // cobra's own flag, with our text, links a template engine: 6 MB
		return []string{"version"}, nil
	}
	return append([]string{"live"}, args...), nil
}

// isHelp reports whether an argument asks for a text of the program itself.
func isHelp(arg string) bool { return arg == "-h" || arg == "--help" || arg == "help" }

// isCompletion reports whether a shell asks for completion.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// texts are those of all commands, see help.Describe.
//
//go:embed help/*.txt
var texts embed.FS

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "rs-ros-node",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	// see withDefaultCommand
	root.Flags().Bool("version", false, "print the version and the build, like the command version")
	_ = root.Flags().MarkHidden("version") // the flag exists
	a.logFlags(root)
	root.PersistentFlags().Func("message-limit",
		"`SIZE` of the largest compressed message to read, if it unpacks to over four times that (default 32M)",
		limitMessages)
	root.PersistentFlags().Func("temp", "`FOLDER` for outputs until they are uploaded (default $TMPDIR)", useTemp)
	root.PersistentFlags().StringVar(&a.cache, "cache", "",
		"keep what is read from addresses in `FOLDER`, too, for later runs")
	root.PersistentFlags().Func("cache-size", "`SIZE` of the folder of --cache (default 10G)",
		func(text string) (err error) {
			a.cacheSize, err = sizeAboveZero(text)
			return err
		})
	root.SetFlagErrorFunc(flagError)
	addGroup(root, "Camera and topics", newLiveCommand(a), newRecordCommand(a), newPlayCommand(a),
		newViewCommand(a), newBridgeCommand(a),
		newDevicesCommand(a), newMasterCommand(a), newDefinitionsCommand(a), newUSBServeCommand(a), newDemoCommand(a))
	addGroup(root, "Look at recordings and check them", newInfoCommand(a), newCatCommand(a), newCheckCommand(a),
		newRecoverCommand(a, "recover BAG…", false), newRecoverCommand(a, "reindex BAG…", true))
	addGroup(root, "Cut and convert recordings", newFilterCommand(a), newSplitCommand(a),
		newMergeCommand(a), newConvertCommand(a),
		newCompressCommand(a, "compress BAG…", settings.Bag, bagstore.BZ2),
		newCompressCommand(a, "decompress BAG…", settings.Sink, bagstore.None),
		newExportCommand(a), newProcessCommand(a))
	addGroup(root, "Many recordings", newCatalogCommand(a), newBatchCommand(a), newUploadCommand(a))
	root.AddCommand(newVersionCommand(), help.Global())
	help.Describe(root, texts)
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	help.Use(root, a.raw.out)
	addManual(root)
	a.completeNames(root)
	for _, c := range root.Commands() {
		for _, c := range append(c.Commands(), c) {
			c.Args = usageArgs(c.Args)
		}
	}
	return root
}

// addGroup adds commands that help lists together.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// isNode reports whether a command runs until it is interrupted, which is no failure then.
func isNode(cmd *cobra.Command) bool {
	return slices.Contains([]string{"live", "record", "play", "view", "bridge", "demo", "master", "usb-serve"}, cmd.Name())
}

// grace is how long a command for files may go on after a signal.
const grace = 3 * time.Second

// endInTime ends the process if a command for files goes on for longer than grace after a signal. Most end at the next
// message, but opening a large damaged file takes minutes. Nodes may have a recording to complete.
func (s streams) endInTime(cmd *cobra.Command, _ []string) {
	if s.exit == nil || isNode(cmd) {
		return
	}
	context.AfterFunc(cmd.Context(), func() {
		time.Sleep(grace)
		s.exit(s.report(errInterrupted))
	})
}

func limitMessages(text string) error {
	size, err := sizeAboveZero(text)
	if err == nil {
		bagstore.LimitMessages(size)
	}
	return err
}

func sizeAboveZero(text string) (int64, error) {
	size, err := settings.ParseSize(text, 0)
	if err == nil && size == 0 {
		err = errors.New("want a size above 0")
	}
	return size, err
}

func useTemp(dir string) error {
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		err = fmt.Errorf("%s isn't a folder", dir)
	}
	place.SetTemp(dir)
	return err
}

func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage("%w\nusage: %s", help.WrongArguments(cmd, args, err), cmd.UseLine())
		}
		return nil
	}
}

// Exit codes. Scripts rely on them.
const (
	exitOK         = 0
	exitFailed     = 1 // not done: unreadable file, full disk, …
	exitUsage      = 2 // wrong flags or arguments
	exitIncomplete = 3 // done, but with damage, loss or change
	exitNoDevice   = 4 // no such camera or file
	exitNoMaster   = 5 // the ROS master can't be reached or started
)

type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, context.Canceled): // Ctrl-C is a normal end
		return exitOK
	case errors.As(err, &usage), errors.Is(err, program.ErrUsage),
		errors.Is(err, bagset.ErrSelection), errors.Is(err, rsbag.ErrCamera), errors.Is(err, dataset.ErrForm),
		errors.Is(err, reprocess.ErrDisparity), errors.Is(err, place.ErrScheme):
		return exitUsage
	case errors.Is(err, program.ErrNoMaster):
		return exitNoMaster
	case errors.Is(err, program.ErrIncomplete):
		return exitIncomplete
	case errors.Is(err, program.ErrNoDevice):
		return exitNoDevice
	}
	return exitFailed
}
