package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/node/listing"
	"rsros/program"
	"rsros/ros2"
	"rsros/tools/bagset"
	"rsros/tools/info"
)

type infoOptions struct {
	yaml, json, freq, sizes, realsense, missing bool
	key                                         string
	ros                                         int
}

func newInfoCommand(a *app) *cobra.Command {
	var o infoOptions
	needsBag := func(cmd *cobra.Command, args []string) error {
		if o.ros == 2 {
			return nil
		}
		return cobra.MinimumNArgs(1)(cmd, args)
	}
	cmd, f := newCommand("info BAG… | --ros 2 [NAME…]", needsBag, func(ctx context.Context, args []string) error {
		switch o.ros {
		case 0:
			return a.info(ctx, args, o)
		case 2:
			return a.infoOfGraph(ctx, args, o)
		}
		return usage("--ros %d: want 2, for the graph of ROS 2", o.ros)
	})
	f.BoolVarP(&o.yaml, "yaml", "y", false, "print YAML")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVarP(&o.key, "key", "k", "", "with --yaml: print this `KEY` only, such as duration or topics[0].messages")
	f.IntVar(&o.ros, "ros", 0, "print the graph of ROS `2`: nodes, topics, QoS, and why a pair doesn't match")
	f.BoolVar(&o.freq, "freq", false, "add each topic's rates and gaps (reads the indexes of all chunks)")
	f.BoolVar(&o.sizes, "sizes", false, "add each topic's sizes (reads the start of every message)")
	f.BoolVar(&o.realsense, "realsense", false, "add device, sensors and streams of a RealSense bag (reads every frame)")
	f.BoolVar(&o.missing, "missing", false,
		"add how many messages of each publisher are missing, by header.seq, and what the recorder dropped (reads every message)")
	return cmd
}

// info prints all readable bags and joins the errors of the others.
func (a *app) info(ctx context.Context, paths []string, o infoOptions) error {
	if o.key != "" && !o.yaml {
		return usage("--key needs --yaml")
	}
	var errs []error
	for i, path := range paths {
		errs = append(errs, a.infoOf(ctx, path, o, i > 0))
	}
	return errors.Join(errs...)
}

// infoOfGraph prints the graph of ROS 2, or these topics and services of it.
func (a *app) infoOfGraph(ctx context.Context, names []string, o infoOptions) error {
	g, err := listing.Find(ctx, ros2.Config{Log: a.logger().Level(zerolog.WarnLevel)}, names)
	switch {
	case err != nil:
		return err
	case o.json:
		return g.JSON(a.out)
	}
	return g.Text(a.out)
}

// warnActive says why a recording may not be complete.
func (a *app) warnActive(path string) {
	if strings.HasSuffix(path, ".active") {
		log := a.logger()
		log.Warn().Msg(path + " is still being recorded, or its recorder was killed: then recover makes a bag of it")
	}
}

// infoOf prints a bag after others.
func (a *app) infoOf(ctx context.Context, path string, o infoOptions, after bool) error {
	before := place.TrafficNow()
	gaps := o.realsense && !o.yaml
	reads := o.freq || o.sizes || gaps
	b, err := recording.Open(path,
		bagstore.OpenOptions{Context: ctx, Sequential: gaps, Verify: reads, Progress: a.fetching(path)})
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // only read
	s, err := info.Summarize(ctx, b, info.Options{Rates: o.freq, Sizes: o.sizes, Dates: !o.yaml})
	if err != nil {
		return err
	}
	a.warnActive(path)
	if after && !o.json {
		fmt.Fprintln(a.out, "---")
	}
	return errors.Join(o.print(ctx, a.out, path, b, s, a.logger(), before), a.notes(s))
}

func (o infoOptions) print(ctx context.Context, w io.Writer, name string, b *bagstore.Recording, s *info.Summary,
	log zerolog.Logger, before place.Traffic) error {
	var lost []info.Series
	var dropped []info.Loss
	if o.missing && !o.yaml {
		var err error
		if lost, dropped, err = info.Missing(ctx, name, log); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		rs, err := rsbag.Summarize(b, o.realsense)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			*info.Summary
			RealSense *rsbag.Summary `json:"realsense,omitempty"`
			Missing   []info.Series  `json:"missing,omitempty"`
			Dropped   []info.Loss    `json:"dropped,omitempty"`
			Traffic   *place.Traffic `json:"traffic,omitempty"`
		}{s, rs, lost, dropped, trafficSince(before)})
	case o.key != "":
		found, err := s.WriteKey(w, o.key)
		if err == nil && !found { // rosbag continues with the next bag and exits with 0
			log.Error().Str("bag", s.Path).Msgf("error getting key %q", o.key)
		}
		return err
	case o.yaml:
		if err := s.WriteYAML(w); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w) // as rosbag
		return err
	}
	if err := s.WriteText(w); err != nil {
		return err
	}
	if o.missing {
		if err := info.WriteMissing(w, lost, dropped); err != nil {
			return err
		}
	}
	if !o.realsense {
		return nil
	}
	rs, err := rsbag.Summarize(b, true)
	if err != nil {
		return err
	}
	if rs == nil {
		_, err = fmt.Fprintln(w, "realsense:   no topics of that layout")
		return err
	}
	return info.WriteDevice(w, rs)
}

// notes logs the notes about a bag. It returns an error if data are missing.
func (a *app) notes(s *info.Summary) error {
	log := a.logger()
	var err error
	for _, n := range s.Notes {
		bagset.LogNote(log, s.Path, n)
		switch {
		case n.Severity != bagstore.Loss:
		case n.Kind == recording.KindTopic:
			err = cmp.Or(err, fmt.Errorf("%w: %s has topics without a ROS 1 form", program.ErrIncomplete, s.Path))
		default:
			err = fmt.Errorf("%w: %s is damaged", program.ErrIncomplete, s.Path)
		}
	}
	if err == nil && !s.Indexed {
		err = fmt.Errorf("%w: %s has no index; reindex makes one", program.ErrIncomplete, s.Path)
	}
	return err
}
