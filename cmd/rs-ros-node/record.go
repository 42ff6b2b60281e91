package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/bagstore"
	"rsros/node/graph"
	"rsros/node/record"
	"rsros/node/viewers"
)

func newRecordCommand(a *app) *cobra.Command {
	o := record.TopicOptions{QueueBytes: 256 << 20, MinSpace: 1 << 30}
	var more recordArgs
	var page viewers.Access
	cmd := &cobra.Command{
		Use:   "record [TOPIC…]",
		Short: "Record topics into bags that are always playable, like rosbag record",
		Long: `record subscribes to topics and writes their messages into a bag that is valid at
every instant. After a crash, kill -9 or a full disk it plays up to the last
checkpoint, and recover also keeps every whole message after it.

With --db3 the messages become ROS 2's and the file is one of rosbag2. What has no form
there is left out and named, with exit code 3.

Services: ~pause_recording (std_srvs/SetBool), ~split, ~stop_recording
(std_srvs/Trigger). While a file is written its name ends with .active. A file is
never replaced: if the name is taken, the time stamp is appended to it. Exit
code 3 if messages were dropped because the disk could not keep up or was full. What
was lost before it arrived shows in the publishers' numbers (header.seq); the log
says how much.`,
		Example: `  rs-ros-node record -a --lz4
  rs-ros-node record -O lab.bag /camera/depth/image_rect_raw /tf /tf_static
  rs-ros-node record -a -x '.*/compressed' --split --size 1024 --max-splits 10`,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.quiet = a.quiet || more.quiet
			o.Topics, o.ROS = more.topics(&o, args), a.ros
			o.Log, page.Lines = a.viewedLogger()
			o.All = o.All || o.Exclude != "" && len(o.Topics) == 0 && o.Node == ""
			if more.udp {
				o.Log.Info().Msg("--udp: this recorder receives over TCP, which loses nothing")
			}
			o.Show = viewers.ShowRecording(viewers.Options{Access: page, Log: o.Log})
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
	f.Var((*mebibytes)(&o.MaxSize), "size", "limit of a file in MB; 0 for no limit")
	f.Var((*rosDuration)(&o.MaxTime), "duration", "limit of a file in time: seconds, or a number with s, m or h")
	f.IntVar(&o.MaxSplits, "max-splits", 0, "keep this many finished files besides the one that is written, deleting the oldest")
	f.IntVarP(&o.Limit, "limit", "l", 0, "record only this many messages of each topic")
	f.BoolVar(&o.Latched, "repeat-latched", false, "start each file of a split with the newest latched messages")
	f.BoolVar(&o.NoDelay, "tcpnodelay", false, "ask publishers to send without delay")
	f.Var(choice(&o.Master, graph.ParseMode), "master", "ros, embedded or auto (default ros)")
	f.VarP((*space)(&o.MinSpace), "min-space", "L", "leave this much room on the disk: bytes, or a number with k, M or G; below it messages are dropped")
	f.StringVar(&o.Node, "node", "", "record every topic that this node subscribes to")
	f.StringArrayVar(&more.named, "topic", nil, "a topic to record, as if it stood among the arguments")
	f.BoolVarP(&o.Publish, "publish", "p", false, "publish the path of each new file on /begin_write (std_msgs/String), latched")
	f.BoolVarP(&more.quiet, "quiet", "q", false, "log errors only")
	f.BoolVar(&more.udp, "udp", false, "accepted as rosbag record has it; messages come over TCP all the same")
	f.VarP((*mebibytes)(&o.QueueBytes), "buffsize", "b", "how much may wait for the disk, in MB; 0 for no bound")
	f.BoolVar(&o.DB3, "db3", false, "record ROS 2's messages into a .db3 of rosbag2, as -O NAME.db3 does, too")
	f.BoolVar(&o.Bag.Overwrite, "overwrite", false, "replace a file that has the recording's name")
	bagFlags(f, &o.Bag)
	foxgloveFlags(f, &o.Foxglove)
	httpFlags(f, &page)
	return cmd
}

// recordArgs are what rosbag record accepts and TopicOptions have no field for.
type recordArgs struct {
	named      []string // by --topic
	quiet, udp bool
}

// topics returns the topics that the command line names. A number among the arguments
// is the limit of --split N, which old launch files still have; no topic is called so.
func (r recordArgs) topics(o *record.TopicOptions, args []string) []string {
	topics := slices.Clone(r.named)
	for _, arg := range args {
		var size mebibytes
		if o.Split && size.Set(arg) == nil {
			o.MaxSize = int64(size)
			continue
		}
		topics = append(topics, arg)
	}
	return topics
}

// recordingFlags are the flags of a live node's recorder.
func recordingFlags(f *pflag.FlagSet, o *record.Options) {
	f.Var((*mebibytes)(&o.QueueBytes), "buffsize", "how much may wait for the disk, in MB (default 512)")
	f.Var((*mebibytes)(&o.SplitSize), "split-size", "start a new file, with the description repeated, at this size in MB")
	f.Var((*rosDuration)(&o.SplitDuration), "split-duration", "start a new file after this much recorded time: seconds, or a number with s, m or h")
	f.BoolVar(&o.DB3, "db3", false, "~start_recording creates .db3 files, for librealsense 2.58 and later; --record goes by the name's ending")
	f.BoolVar(&o.Bag.Overwrite, "overwrite", false, "replace a file that has the recording's name")
	bagFlags(f, &o.Bag)
}

// bagFlags choose how bags are written.
func bagFlags(f *pflag.FlagSet, o *bagstore.Options) {
	f.BoolFunc("lz4", "compress with LZ4", func(string) error { o.Compression = bagstore.LZ4; return nil })
	f.BoolFuncP("bz2", "j", "compress with BZ2: small and slow", func(string) error { o.Compression = bagstore.BZ2; return nil })
	sinkFlags(f, o)
	f.Func("chunksize", "chunk size in KB; 0 makes a chunk of each message (default 768)", func(s string) error {
		kb, err := strconv.Atoi(s)
		if err != nil || kb < 0 {
			return errors.New("want a number of KB")
		}
		o.ChunkSize = max(kb<<10, 1)
		return nil
	})
}

// sinkFlags choose how bytes go to the disk.
func sinkFlags(f *pflag.FlagSet, o *bagstore.Options) {
	set := func(kind bagstore.SinkKind) func(string) error {
		return func(string) error {
			if o.Sink != bagstore.Auto && o.Sink != kind {
				return errors.New("--direct and --buffered exclude each other")
			}
			o.Sink = kind
			return nil
		}
	}
	f.BoolFunc("direct", "write past the page cache (O_DIRECT), or fail if the file system doesn't support that (default: from 16 MiB on, where it does)", set(bagstore.Direct))
	f.BoolFunc("buffered", "write through the page cache", set(bagstore.Buffered))
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

// space is an amount of disk as rosbag record takes it: bytes, or a number of k, M or
// G of 1024.
type space int64

func (s *space) Set(text string) error {
	digits, shift := text, 0
	for i, unit := range []string{"k", "M", "G"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			digits, shift = number, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("%q: want a number of bytes, or one with k, M or G", text)
	}
	*s = space(n << shift)
	return nil
}

func (s *space) String() string {
	for i, unit := range "GMk" {
		if size := int64(1) << (30 - 10*i); *s > 0 && int64(*s)%size == 0 {
			return strconv.FormatInt(int64(*s)/size, 10) + string(unit)
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *space) Type() string { return "SIZE" }
