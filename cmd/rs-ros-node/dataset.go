package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"rsros/program"
	"rsros/program/yaml"
	"rsros/tools/dataset"
	"rsros/tools/export"
	"rsros/tools/reprocess"
)

// dataSetOptions are the flags of export --as.
type dataSetOptions struct {
	form         string
	rate         float64
	noise        string
	truth        string
	uncompressed bool
	process      processOptions
}

func (o *dataSetOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.form, "as", "", "`FORM` of a data set: "+strings.Join(dataset.Forms(), ", "))
	f.Float64Var(&o.rate, "fps", 0, "with --as: select about `HZ` sets a second; 0: all")
	f.StringVar(&o.noise, "imu-noise", "", "with --as: YAML `FILE` with the IMU's noise, as Kalibr has it")
	f.StringVar(&o.truth, "ground-truth", "",
		"with --as: a `TOPIC` of odometry or stamped poses, or two frames of tf, FROM:TO")
	_ = cmd.MarkFlagFilename("imu-noise") // the flag exists
	f.StringSliceVar(&o.process.filters, "filters", nil, "with --as: `BLOCK,...` process each set, such as align_to_color")
	f.StringArrayVar(&o.process.set, "set", nil, "with --filters: `BLOCK.OPTION=VALUE`")
	// the flag exists
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(dataset.Forms(), cobra.ShellCompDirectiveNoFileComp))
}

func (o *dataSetOptions) given() bool {
	return o.rate != 0 || o.noise != "" || o.truth != "" || len(o.process.filters) > 0 || len(o.process.set) > 0
}

func (a *app) exportDataSet(ctx context.Context, in []string, e export.Options, o dataSetOptions) (err error) {
	switch {
	case e.Points || e.Aligned:
		return usageError{errors.New("--as excludes --ply and --align-depth")}
	case !(o.rate >= 0 && o.rate <= math.MaxInt32):
		return usageError{fmt.Errorf("--fps %g: want sets a second", o.rate)}
	}
	if o.form == "lerobot" {
		return usageError{errors.New("rs-lerobot, a program of its own, makes data sets of LeRobot, with the same flags")}
	}
	d := dataset.Options{In: in, Form: o.form, Dir: e.Dir, Selection: e.Selection, Camera: e.Camera, Rate: o.rate,
		Overwrite: e.Overwrite, Log: a.logger()}
	if len(o.process.filters) > 0 || len(o.process.set) > 0 {
		if d.Chain, err = reprocess.ParseChain(o.process.filters, o.process.set); err != nil {
			return usageError{err}
		}
		d.Filters = strings.Join(append(o.process.filters, o.process.set...), " ")
	}
	d.Truth, d.Uncompressed = o.truth, o.uncompressed
	if o.noise != "" {
		if d.Noise, err = yaml.ReadFile(o.noise, parseNoise); err != nil {
			return err
		}
	}
	report, done := a.progress(o.form, false)
	d.Progress = report
	err = dataset.Run(ctx, d)
	done()
	return a.filled(program.SummarizeFolder(d.Dir), err)
}

// parseNoise parses a text such as Kalibr's imu.yaml.
func parseNoise(text []byte) (*dataset.Noise, error) {
	n := new(dataset.Noise)
	if err := yaml.Decode(text, n); err != nil {
		return nil, err
	}
	return n, n.Check()
}
