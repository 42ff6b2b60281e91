package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rsros/bagstore/place"
	"rsros/bagstore/tools/bagset"
	"rsros/bagstore/tools/imunoise"
)

type imuNoiseOptions struct {
	imunoise.Options
	json      bool
	out       string
	overwrite bool
}

func newIMUNoiseCommand(a *app) *cobra.Command {
	var o imuNoiseOptions
	cmd := &cobra.Command{
		Use:   "imu-noise RECORDING",
		Short: "Measure the noise of inertial sensors in a recording of a camera at rest",
		Long: `imu-noise computes the overlapping Allan deviation of the gyroscope and the
accelerometer, and fits noise density and random walk to it. The recording is a
RealSense one, or has topics of sensor_msgs/Imu. The camera must be at rest, for
hours if the random walk is to be found. -o writes Kalibr's imu.yaml, which export
--imu-noise takes. docs/datasets.md has the method.

Exit codes: 0 done, 3 done, but a value isn't in the recording or it is damaged, 1 the
recording is too short, or the camera wasn't at rest.`,
		Example: `  rs-ros-node imu-noise still.bag -o imu.yaml
  rs-ros-node imu-noise still.mcap --start 60 --json
  rs-ros-node imu-noise still.bag -t /camera/gyro/sample,/camera/accel/sample`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.In = args[0]
			return a.imuNoise(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON, with the Allan deviations")
	f.StringVarP(&o.out, "out", "o", "", "YAML file to write, as Kalibr has it")
	_ = cmd.MarkFlagFilename("out") // the flag exists
	selectionFlags(f, &o.Selection)
	overwriteFlag(f, &o.overwrite, "replace the YAML file if it exists")
	return cmd
}

func (a *app) imuNoise(ctx context.Context, o imuNoiseOptions) error {
	if o.out != "" {
		if err := place.Free(ctx, o.out, o.overwrite); err != nil {
			return err
		}
	}
	var done func()
	o.Log = a.logger()
	o.Progress, done = a.progress(place.Base(o.In), false)
	r, err := imunoise.Run(ctx, o.Options)
	done()
	if _, incomplete := errors.AsType[*bagset.LossError](err); err != nil && !incomplete {
		return noOutput(err)
	}
	write := printNoise
	if o.json {
		write = func(w io.Writer, r *imunoise.Report) error { return json.NewEncoder(w).Encode(r) }
	}
	if failed := write(a.out, r); failed != nil {
		return failed
	}
	if o.out != "" {
		failed := place.Write(ctx, o.out, o.overwrite, func(f *os.File) error {
			_, err := io.WriteString(f, r.YAML())
			return err
		})
		if failed != nil {
			return failed
		}
	}
	return err
}

func printNoise(w io.Writer, r *imunoise.Report) error {
	for _, s := range []struct {
		name, unit string
		*imunoise.Sensor
	}{{"gyroscope", "rad/s", r.Gyroscope}, {"accelerometer", "m/s²", r.Accelerometer}} {
		if s.Sensor == nil {
			continue
		}
		fmt.Fprintf(w, "%s: %s, %.0f s, %.2f Hz, %d samples, %d missing\n", s.name, s.Topic, s.Seconds, s.Rate, s.Samples, s.Missing)
		for i, axis := range []imunoise.Axis{s.Axis, s.Axes[0], s.Axes[1], s.Axes[2]} {
			fmt.Fprintf(w, "  %-3s  noise density %s %s/√Hz  random walk %s %s/s/√Hz  bias instability %.3g %s at %.3g s\n", []string{"all", "x", "y", "z"}[i],
				estimate(axis.Density), s.unit, estimate(axis.Walk), s.unit, axis.Bias, s.unit, axis.BiasAt)
		}
	}
	return nil
}

// estimate prints an estimate and its standard error.
func estimate(e imunoise.Estimate) string {
	if e.Value == 0 {
		return "unknown        "
	}
	return fmt.Sprintf("%.3g ± %.1f %%", e.Value, 100*e.Error/e.Value)
}
