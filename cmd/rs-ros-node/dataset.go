package main

import (
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"rsros/program"
	"rsros/program/yaml"
	"rsros/tools/dataset"
	"rsros/tools/export"
	"rsros/tools/reprocess"
)

// dataSetFlags are the flags of export --as.
type dataSetFlags struct {
	dataset.Options
	noise  string
	blocks blockFlags
}

func (o *dataSetFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Form, "as", "", "`FORM` of a data set: "+strings.Join(dataset.Forms(), ", "))
	f.Float64Var(&o.Rate, "fps", 0, "with --as: select about `HZ` sets a second; 0: all")
	f.StringVar(&o.noise, "imu-noise", "", "with --as: YAML `FILE` with the IMU's noise, as Kalibr has it")
	f.StringVar(&o.Truth, "ground-truth", "",
		"with --as: a `TOPIC` of odometry or stamped poses, or two frames of tf, FROM:TO")
	f.BoolVar(&o.Uncompressed, "uncompressed", false, "with --as: don't compress PNG files")
	_ = cmd.MarkFlagFilename("imu-noise") // the flag exists
	o.blocks.add(f, "with --as: `BLOCK,...` process each set, such as align_to_color",
		"with --filters: `BLOCK.OPTION=VALUE`")
	// the flag exists
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(dataset.Forms(), cobra.ShellCompDirectiveNoFileComp))
}

// given reports whether there is a flag that needs --as.
func (o *dataSetFlags) given() bool {
	return o.Rate != 0 || o.noise != "" || o.Truth != "" || o.Uncompressed || len(o.blocks.filters)+len(o.blocks.set) > 0
}

func (a *app) exportDataSet(ctx context.Context, in []string, e export.Options, o dataSetFlags) (err error) {
	switch {
	case e.Points || e.Aligned:
		return usage("--as excludes --ply and --align-depth")
	case !(o.Rate >= 0 && o.Rate <= math.MaxInt32):
		return usage("--fps %g: want sets a second", o.Rate)
	case o.Form == "lerobot":
		return usage("rs-lerobot, a program of its own, makes data sets of LeRobot, with the same flags")
	}
	d := o.Options
	d.In, d.Dir, d.Selection, d.Camera, d.Overwrite, d.Log = in, e.Dir, e.Selection, e.Camera, e.Overwrite, a.logger()
	if filters, set := o.blocks.filters, o.blocks.set; len(filters)+len(set) > 0 {
		if d.Chain, err = reprocess.ParseChain(filters, set); err != nil {
			return usageError{err}
		}
		d.Filters = strings.Join(append(filters, set...), " ")
	}
	if o.noise != "" {
		if d.Noise, err = yaml.ReadFile(o.noise, parseNoise); err != nil {
			return err
		}
	}
	report, done := a.progress(d.Form, false)
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
