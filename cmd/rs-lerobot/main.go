// Command rs-lerobot makes LeRobotDataset v3.0 of recordings of RealSense cameras and of camera nodes
// (docs/datasets.md). It is apart from rs-ros-node because Parquet's library is as large as the rest.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/bagstore/place"
	"rsros/bagstore/place/s3"
	"rsros/bagstore/realsense/rsbag"
	"rsros/program"
	"rsros/program/help"
	"rsros/tools/bagset"
	"rsros/tools/dataset"
	"rsros/tools/reprocess"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	place.Register(s3.Scheme, &s3.Store{})
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes a command line and returns the exit code, as rs-ros-node's commands have them.
func run(ctx context.Context, args []string, out, log io.Writer) int {
	cmd := newCommand()
	args = slices.Clone(args)
	for i := range args {
		args[i] = place.Redact(args[i])
	}
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(log)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(log, "rs-lerobot: %q\n", err)
	switch {
	case errors.Is(err, program.ErrUsage), errors.Is(err, bagset.ErrSelection), errors.Is(err, rsbag.ErrCamera):
		return 2
	case errors.Is(err, program.ErrIncomplete):
		return 3
	}
	return 1
}

func newCommand() *cobra.Command {
	o := dataset.Options{}
	s := settings{}
	var task, robot string
	var filters, set []string
	cmd := &cobra.Command{
		Use:   "rs-lerobot RECORDING… -o FOLDER",
		Short: "Make a LeRobotDataset v3.0 of recordings",
		Long: `rs-lerobot makes a LeRobotDataset v3.0 of one or several recordings, each an episode.
Stamps are the camera's, PNG depth is exact. docs/datasets.md has the layout. After a
kill, the same command continues. Videos need ffmpeg.

Exit codes: 0 everything was exported, 3 a recording is damaged in parts or sets were
left out, 1 not done, 2 wrong usage.`,
		Example: `  rs-lerobot *.bag -o cups --task "Stack the cups" --robot ur5e.yaml
  rs-lerobot walk.bag -o walk --task walk --images h264 --depth hevc12 --fps 15`,
		Version: program.Version,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%w: name a recording", program.ErrUsage)
			}
			return nil
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case o.Dir == "":
				return fmt.Errorf("%w: -o, the folder for the data set, is missing", program.ErrUsage)
			case !(o.Rate >= 0 && o.Rate <= math.MaxInt32):
				return fmt.Errorf("%w: --fps %g: want sets a second", program.ErrUsage, o.Rate)
			case s.Images != "" && !slices.Contains(imageForms, s.Images):
				return fmt.Errorf("%w: --images %s: want %s", program.ErrUsage, s.Images, strings.Join(imageForms, ", "))
			case s.Depth != "" && !slices.Contains(depthForms, s.Depth):
				return fmt.Errorf("%w: --depth %s: want %s", program.ErrUsage, s.Depth, strings.Join(depthForms, ", "))
			}
			if len(filters) > 0 || len(set) > 0 {
				if o.Chain, err = reprocess.ParseChain(filters, set); err != nil {
					return fmt.Errorf("%w: %w", program.ErrUsage, err)
				}
				o.Filters = strings.Join(append(filters, set...), " ")
			}
			if s.Robot = NewRobot(task); robot != "" {
				if s.Robot, err = ReadRobot(robot); err != nil {
					return err
				}
			}
			s.Robot.Task = cmp.Or(task, s.Robot.Task)
			o.In = args
			o.Log = zerolog.New(zerolog.ConsoleWriter{Out: cmd.ErrOrStderr(), NoColor: true, TimeFormat: time.TimeOnly}).
				With().Timestamp().Logger()
			o.Progress = program.ProgressLines(o.Dir, time.Now, func(line string) { o.Log.Info().Msg(line) })
			err = makeSet(cmd.Context(), s, o)
			if err == nil || errors.Is(err, program.ErrIncomplete) {
				fmt.Fprintln(cmd.ErrOrStderr(), program.SummarizeFolder(o.Dir))
			}
			return err
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: %w", program.ErrUsage, err) })
	f := cmd.Flags()
	f.StringVarP(&o.Dir, "output", "o", "", "`FOLDER` or address for the data set; must be new or empty, or its beginning")
	f.StringVar(&task, "task", "", "`WORDS` for what the robot does")
	f.StringVar(&robot, "robot", "", "YAML `FILE` with the topics of state and action")
	f.StringVar(&s.Images, "images", "", "`FORM`: "+strings.Join(imageForms, ", ")+" (default png); videos need ffmpeg")
	f.StringVar(&s.Depth, "depth", "", "`FORM`: "+strings.Join(depthForms, ", ")+" (default png); videos need ffmpeg")
	f.StringVar(&o.Camera, "camera", "", "`NAME` of one camera of recordings of several; default: all")
	f.Float64Var(&o.Rate, "fps", 0, "select about `HZ` sets a second; 0: all")
	f.StringSliceVar(&filters, "filters", nil, "`BLOCK,...` that process each set, such as align_to_color")
	f.StringArrayVar(&set, "set", nil, "with --filters: `BLOCK.OPTION=VALUE`")
	f.BoolVar(&o.Uncompressed, "uncompressed", false, "don't compress PNG files")
	f.BoolVarP(&o.Overwrite, "overwrite", "f", false, "replace an existing data set")
	o.Selection.Flags(f)
	help.Use(cmd, os.Stdout)
	return cmd
}

func makeSet(ctx context.Context, s settings, o dataset.Options) error {
	if err := s.check(); err != nil {
		return err
	}
	o.Settings = s
	return dataset.Make(ctx, s.form(), o)
}
