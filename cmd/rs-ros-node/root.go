package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"rsros/node/graph"
)

// streams are the process's standard streams: data goes to out, the log to err.
type streams struct {
	in  *os.File
	out io.Writer
	err io.Writer
}

// app is what all commands share. What commands print goes through out and err,
// which quote what isn't printable; raw are the process's own streams, for what
// draws on a terminal itself and shows nothing of a file.
type app struct {
	out, err *printer
	raw      streams
	ros      graph.Config // from remaps (a:=b, __name:=x, _p:=v) and the environment
	logFile  *os.File     // __log:=, open once there is a logger; nil without it
	verbose  bool
	quiet    bool
}

// run executes one command line and returns the process's exit code.
func run(ctx context.Context, args []string, std streams, environ []string) int {
	err := execute(ctx, args, std, environ)
	code := exitCode(err)
	if code != exitOK {
		fmt.Fprintln(std.err, "rs-ros-node:", printable(err.Error()))
	}
	return code
}

func execute(ctx context.Context, args []string, std streams, environ []string) error {
	conf, rest, err := graph.ParseArgs(args, environ)
	if isCompletion(args) {
		rest, err = args, nil // what was typed so far, not what ROS shall know
	}
	if err != nil {
		return usageError{err}
	}
	a := &app{out: newPrinter(std.out), err: newPrinter(std.err), raw: std, ros: conf}
	root := newRootCommand(a)
	root.SetIn(std.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.InitDefaultCompletionCmd() // takes root's streams
	if rest, err = withDefaultCommand(root, rest); err != nil {
		return err
	}
	if rest, err = expandFlags(root, rest); err != nil {
		return usageError{err}
	}
	root.SetArgs(rest)
	err = errors.Join(root.ExecuteContext(ctx), a.out.Close(), a.err.Close())
	if a.logFile != nil {
		err = errors.Join(err, a.logFile.Close())
	}
	return err
}

// withDefaultCommand makes a command line without a command a live node, so
// that rosrun and roslaunch start one by the program's name alone.
func withDefaultCommand(root *cobra.Command, args []string) ([]string, error) {
	if isCompletion(args) {
		return args, nil
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return nil, usageError{err}
	}
	if cmd != root || slices.ContainsFunc(rest, isHelp) {
		return args, nil
	}
	return append([]string{"live"}, args...), nil
}

func isHelp(arg string) bool {
	return arg == "-h" || arg == "--help" || arg == "help"
}

// isCompletion tells whether a shell asks how the command line may go on. cobra adds
// the command that answers while it executes.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "rs-ros-node",
		Short: "Publish, record and replay a RealSense camera in a ROS 1 graph",
		Long: `rs-ros-node publishes a RealSense camera into a ROS 1 graph, records it into
bags that are playable at every instant, and plays any ROS 1 bag. It needs no
ROS installation. The default command is live.

ROS arguments are accepted anywhere: topic remappings a:=b, private parameters
_p:=v, and __name:= __ns:= __master:= __ip:= __hostname:= __log:=.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but something was lost or
damaged, 4 no such device, 5 no ROS master.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log more")
	root.PersistentFlags().BoolVar(&a.quiet, "no-log", false, "log errors only")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		newLiveCommand(a),
		newRecordCommand(a),
		newPlayCommand(a),
		newInfoCommand(a),
		newMasterCommand(a),
		newDevicesCommand(a),
		newCheckCommand(a),
		newRecoverCommand(a),
		newReindexCommand(a),
		newCompressCommand(a),
		newDecompressCommand(a),
		newFilterCommand(a),
		newMergeCommand(a),
		newSplitCommand(a),
		newCatCommand(a),
		newExportCommand(a),
		newProcessCommand(a),
		newConvertCommand(a),
		newDemoCommand(a),
		newViewCommand(a),
		newVersionCommand(),
	)
	root.AddCommand(insteadCommands()...)
	root.InitDefaultHelpCmd()
	addManual(root)
	for _, c := range root.Commands() {
		c.Args = usageArgs(c.Args)
	}
	return root
}

// usageArgs makes the errors of an argument check usage errors.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{errors.Join(err, errors.New("usage: "+cmd.UseLine()))}
		}
		return nil
	}
}
