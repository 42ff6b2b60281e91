package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/bagstore"
	"rsros/node/graph"
	"rsros/node/record"
)

func newRecordCommand(a *app) *cobra.Command {
	var o record.TopicOptions
	megabytes := 0
	cmd := &cobra.Command{
		Use:   "record [TOPIC…]",
		Short: "Record topics into bags that are always playable, like rosbag record",
		Long: `record subscribes to topics and writes their messages into a bag that is valid at
every instant. After a crash, kill -9 or a full disk it plays up to the last
checkpoint, and recover also keeps every whole message after it.

Services: ~pause_recording (std_srvs/SetBool), ~split, ~stop_recording
(std_srvs/Trigger). Exit code 3 if messages were dropped because the disk could
not keep up.`,
		Example: `  rs-ros-node record -a --lz4
  rs-ros-node record -O lab.bag /camera/depth/image_rect_raw /tf /tf_static
  rs-ros-node record -a -x '.*/compressed' --split --size 1024 --max-splits 10`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Topics, o.ROS, o.Log = args, a.ros, a.logger()
			o.All = o.All || o.Exclude != "" && len(args) == 0
			o.MaxSize = int64(megabytes) << 20
			return record.Topics(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.All, "all", "a", false, "record every topic")
	f.BoolVarP(&o.Regex, "regex", "e", false, "the topics are regular expressions that must match whole names")
	f.StringVarP(&o.Exclude, "exclude", "x", "", "leave out topics whose whole name matches; alone it implies --all")
	f.StringVarP(&o.Output, "output-name", "O", "", "file to record into")
	f.StringVarP(&o.Prefix, "output-prefix", "o", "", "file name before the time stamp")
	f.BoolVar(&o.Split, "split", false, "at --size or --duration start a new file instead of stopping")
	f.IntVar(&megabytes, "size", 0, "limit of a file in MB")
	f.Var((*rosDuration)(&o.MaxTime), "duration", "limit of a file in time: seconds, or a number with s, m or h")
	f.IntVar(&o.MaxSplits, "max-splits", 0, "keep only this many files, deleting the oldest")
	f.IntVarP(&o.Limit, "limit", "l", 0, "record only this many messages of each topic")
	f.BoolVar(&o.Latched, "repeat-latched", false, "start each file of a split with the newest latched messages")
	f.BoolVar(&o.NoDelay, "tcpnodelay", false, "ask publishers to send without delay")
	f.Var(choice(&o.Master, graph.ParseMode), "master", "ros, embedded or auto (default ros)")
	o.QueueBytes = 256 << 20
	f.VarP((*mebibytes)(&o.QueueBytes), "buffsize", "b", "how much may wait for the disk, in MB; 0 for no bound")
	bagFlags(f, &o.Bag)
	return cmd
}

// recordingFlags are the flags of a live node's recorder.
func recordingFlags(f *pflag.FlagSet, o *record.Options) {
	f.Var((*mebibytes)(&o.QueueBytes), "buffsize", "how much may wait for the disk, in MB (default 512)")
	f.Var((*mebibytes)(&o.SplitSize), "split-size", "start a new file, with the description repeated, at this size in MB")
	f.Var((*rosDuration)(&o.SplitDuration), "split-duration", "start a new file after this much recorded time: seconds, or a number with s, m or h")
	bagFlags(f, &o.Bag)
}

// bagFlags choose how bags are written.
func bagFlags(f *pflag.FlagSet, o *bagstore.Options) {
	f.BoolFunc("lz4", "compress with LZ4", func(string) error { o.Compression = bagstore.LZ4; return nil })
	f.BoolFuncP("bz2", "j", "compress with BZ2: small and slow", func(string) error { o.Compression = bagstore.BZ2; return nil })
	f.BoolFunc("direct", "bypass the page cache (O_DIRECT) where the file system allows it", func(string) error { o.Sink = bagstore.Direct; return nil })
	f.Func("chunksize", "chunk size in KB (default 768)", func(s string) error {
		kb, err := strconv.Atoi(s)
		if err != nil || kb <= 0 {
			return errors.New("want a positive number")
		}
		o.ChunkSize = kb << 10
		return nil
	})
}

// rosDuration is a time as rosbag writes it: "30", "30s", "5m", "1h".
type rosDuration time.Duration

func (d *rosDuration) Set(s string) error {
	v, err := record.ParseDuration(s)
	*d = rosDuration(v)
	return err
}

func (d *rosDuration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *rosDuration) Type() string { return "time" }

// mebibytes is a size given in MB of 2^20 bytes, as rosbag counts them.
type mebibytes int64

func (m *mebibytes) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return fmt.Errorf("%q: want a number of MB", s)
	}
	*m = mebibytes(n << 20)
	return nil
}

func (m *mebibytes) String() string { return strconv.FormatInt(int64(*m)>>20, 10) }

func (m *mebibytes) Type() string { return "MB" }
