package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/program"
	"rsros/program/work"
	"rsros/record/source"
	"rsros/record/upload"
	"rsros/ros/graph"
	"rsros/ros/names"
)

// Options are the settings of recordings. Those of topics have the meaning that they have in rosbag record.
type Options struct {
	Bag bagstore.Options
	DB3 bool `setting:"db3"` // files whose names have no extension are .db3
	// TotalSize and TotalTime are limits of a file, unless MaxSize or MaxTime is set.
	Split     bool          `setting:"split"`
	MaxSize   int64         `setting:"split-size"`     // of a file in bytes; 0 means no limit
	MaxTime   time.Duration `setting:"split-duration"` // of a file, in recorded time; 0 means no limit
	TotalSize int64         `setting:"size"`           // of all files; 0 means no limit
	TotalTime time.Duration `setting:"duration"`       // the same of recorded time
	MaxSplits int           `setting:"max-splits"`     // finished files of this run that are kept; 0 keeps all
	Keep      int64         `setting:"keep"`           // bytes of finished files of this run that are kept; 0 keeps all
	Latched   bool          `setting:"repeat-latched"` // files begin with the newest latched messages, as of cameras
	Ring      Ring
	Upload    upload.Options
	Uploads   *upload.Queue // where finished files go; may be nil

	QueueBytes int64        `setting:"buffsize"` // limit of what waits for the disk; 0 means no limit
	Memory     int64        `setting:"memory"`   // the same of all cameras together; 0 means that each has QueueBytes
	Budget     *work.Budget // of Memory; may be nil
	// MinSpace are bytes that stay free on the disk: below it frames and messages are dropped. 0 means no limit.
	MinSpace int64 `setting:"min-space"`

	Output string   `setting:"output-name"` // path of the file; numbered when split. Of cameras: only its extension counts
	Topics []string `setting:"topics"`      // names; with Regex, expressions that match whole names

	// Of Topics alone.
	All      bool     `setting:"all"` // every topic
	Regex    bool     `setting:"regex"`
	Types    []string `setting:"types"`         // also every topic of these
	Exclude  []string `setting:"exclude"`       // regular expressions of topics to leave out
	Node     string   `setting:"node"`          // also every topic that this node subscribes to
	Prefix   string   `setting:"output-prefix"` // path before the time stamp, if Output is empty
	NoDelay  bool     `setting:"tcpnodelay"`
	Publish  bool     `setting:"publish"` // the path of each new file on /begin_write (std_msgs/String), latched
	Thinning Thinning
	Time     string `setting:"time"` // record times: arrival (the default), or stamp for those of headers
	Triggers TriggerRules

	ROS    graph.Config // the name defaults to record_ and a unique end, as rosbag's
	Master graph.Mode   `setting:"master"`

	// Join joins the graph of ROS 2 that has the topics, with a node that offers the recording's control. Nil means ROS 1.
	Join func(context.Context, graph.JoinOptions) (*graph.Node, source.Graph, func() error, error)

	// Show, if not nil, lets viewers see and control the recording. It is called when the
	// recording runs, and the returned function before it ends.
	Show func(*graph.Node, *Recording) (close func() error, err error)

	Log zerolog.Logger
}

// Check rejects settings that contradict each other, and an upload's address that can't be written.
func (o *Options) Check() error {
	limits := max(o.MaxSize, o.TotalSize) > 0 || max(o.MaxTime, o.TotalTime) > 0
	return cmp.Or(o.Upload.Check(), o.Ring.check(limits || o.Bag.Overwrite))
}

// completeTopics checks and completes the settings of Topics.
func (o *Options) completeTopics() error {
	switch {
	case o.MaxSize > 0 || o.MaxTime > 0:
		o.Split = true
	case o.Split: // as in rosbag record, the limits are those of a file
		o.MaxSize, o.MaxTime, o.TotalSize, o.TotalTime = o.TotalSize, o.TotalTime, 0, 0
	}
	o.All = o.All || len(o.Exclude) > 0 && len(o.Topics) == 0 && len(o.Types) == 0 && o.Node == ""
	switch {
	case len(o.Topics) == 0 && len(o.Types) == 0 && !o.All && o.Node == "":
		return fmt.Errorf("%w: name topics to record, or use --all", program.ErrUsage)
	case o.Output != "" && o.Prefix != "":
		return fmt.Errorf("%w: --output-name and --output-prefix don't go together", program.ErrUsage)
	case o.Keep > 0 && !o.Split:
		return fmt.Errorf("%w: --keep needs --split-size or --split-duration", program.ErrUsage)
	case o.Split && o.MaxSize == 0 && o.MaxTime == 0:
		return fmt.Errorf("%w: --split needs --size or --duration", program.ErrUsage)
	case o.Bag.LZ4Topics != nil && o.Bag.Kind() != bagstore.LZ4:
		return fmt.Errorf("%w: --lz4-topics and --bz2 don't go together", program.ErrUsage)
	case o.Ring.Before == 0 && (len(o.Triggers.Expressions) > 0 || len(o.Triggers.Silences) > 0):
		return fmt.Errorf("%w: --trigger and --trigger-silence need --ring", program.ErrUsage)
	}
	err := cmp.Or(o.Check(), upload.OnlyPaths(o.Output, o.Prefix), o.checkNames(),
		CheckPath(cmp.Or(o.Output, o.Prefix)))
	if err != nil {
		return err
	}
	o.Latched = o.Latched || o.Ring.Before > 0 // each file of a ring can be played alone
	if err := o.CheckFormat(); err != nil || !o.DB3 || o.Bag.Kind() == bagstore.None {
		return err
	}
	return fmt.Errorf("%w: a .db3 of topics is recorded uncompressed, not with %s", program.ErrUsage, o.Bag.Kind())
}

// CheckFormat rejects options that the format doesn't have, which the extension of Output or DB3 says.
func (o *Options) CheckFormat() error {
	_, ext := splitExt(o.Output)
	if ext != "" && ext != extDB3 && o.DB3 {
		return fmt.Errorf("%w: --db3 doesn't record into %s", program.ErrUsage, o.Output)
	}
	o.DB3 = o.DB3 || ext == extDB3
	switch c := o.Bag.Kind(); {
	case o.DB3 && c != bagstore.None && c != bagstore.Zstd:
		return fmt.Errorf("%w: a .db3 of a camera is recorded uncompressed or with --zstd, not with %s", program.ErrUsage, c)
	case o.ext() == extMCAP && (c == bagstore.BZ2 || o.Bag.LZ4Topics != nil):
		return fmt.Errorf("%w: an MCAP is recorded uncompressed, with --lz4 or with --zstd", program.ErrUsage)
	case o.ext() == extBag && c == bagstore.Zstd:
		return fmt.Errorf("%w: a bag has no zstd; use --lz4, or record into an MCAP", program.ErrUsage)
	}
	return nil
}

// ROS2 reports whether the topics are those of ROS 2.
func (o *Options) ROS2() bool { return o.Join != nil }

// ext returns the extension of the files.
func (o *Options) ext() string {
	_, ext := splitExt(o.Output)
	switch {
	case ext != "":
		return ext
	case o.DB3:
		return extDB3
	case o.ROS2():
		return extMCAP
	}
	return extBag
}

// checkNames refuses wrong names and expressions before a graph is joined, which resolves names.
func (o *Options) checkNames() error {
	same := func(name string) (string, error) { return name, names.Check(name) }
	_, topics := newTopicFilter(*o, same)
	thin, err := o.Thinning.parse(same)
	if thin.count > 0 && o.All {
		err = fmt.Errorf("%w: --limit N goes with named topics, not with --all", program.ErrUsage)
	}
	_, rules := newTriggers(o.Triggers, nil, same, zerolog.Nop(), nil)
	return cmp.Or(topics, err, rules)
}

// CheckPath returns an error if a recording's path names a folder that doesn't exist.
func CheckPath(path string) error {
	folder := filepath.Dir(path + "_") // path may be a folder's, with a slash
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("record into %s: there is no folder %s; make it first", path, folder)
	}
	return nil
}

// folder returns that of the files of Topics.
func (o *Options) folder() string { return filepath.Dir(cmp.Or(o.Output, o.Prefix, ".") + "_") }

// base returns the path of the files of Topics, or of a ring's kept files, without number and extension.
func (o *Options) base(now time.Time) string {
	base, _ := splitExt(cmp.Or(o.Output, o.Prefix))
	switch {
	case o.Output != "" || o.Ring.Before > 0:
		return base
	case base != "":
		base += "_"
	}
	return base + now.Format(stampLayout)
}

// compression describes that of the files.
func (o *Options) compression() string {
	if o.Bag.LZ4Topics != nil {
		return "lz4 of some topics"
	}
	return string(o.Bag.Kind())
}
