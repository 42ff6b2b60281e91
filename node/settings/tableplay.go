package settings

// playback has the flags of rosbag play, and more.
var playback = Set{
	{Flag: "prefix", Short: "p", Kind: Text, Help: "put this before every topic name"},
	{Flag: "quiet", Short: "q", Help: "show no state line"},
	{Flag: "immediate", Short: "i", Help: "play without waiting, as fast as subscribers read"},
	{Flag: "pause", Running: "paused", Help: "start paused"},
	{Flag: "queue", Kind: Whole, Default: "100", Help: "messages that may wait for a subscriber; 0 or less for no limit"},
	{Flag: "clock", Help: "publish /clock"},
	{Flag: "hz", Kind: Positive, Unit: "Hz", Default: "100", Help: "rate of /clock"},
	{Flag: "clock-per-message", Default: "true", Help: "also publish /clock before each message"},
	{Flag: "clock-topics", Kind: Texts, Row: true, Help: "publish /clock before messages of these topics only"},
	{Flag: "follow-clock", Help: "follow the /clock of another program"},
	{Flag: "delay", Short: "d", Kind: Seconds, Default: "0.2", Help: "wait this many seconds after advertising, for subscribers to connect"},
	{Flag: "rate", Short: "r", Kind: Positive, Default: "1", Running: "rate", Help: "speed"},
	{Flag: "start", Short: "s", Kind: Offset, Help: "start this many seconds into the bags"},
	{Flag: "start-at", Kind: Value, Unit: "date", Example: "2018-05-03 12:30:00", Help: "start at this time"},
	{Flag: "duration", Short: "u", Kind: Seconds, Help: "play this many seconds of bag time; 0 for all"},
	{Flag: "until", Kind: Value, Unit: "date", Example: "2018-05-03 12:30:00", Help: "play up to this time"},
	{Flag: "skip-empty", Kind: Seconds, Help: "skip gaps that are longer than this many seconds; 0 for none"},
	{Flag: "loop", Short: "l", Running: "loop", Help: "start again at the end"},
	{Flag: "loop-range", Kind: Value, Unit: "FROM:TO", Example: "10:20", Help: "loop over FROM:TO, seconds from the start"},
	{Flag: "loop-monotonic", Help: "let time continue in each round instead of jumping back"},
	{Flag: "keep-alive", Short: "k", Help: "stay after the end, with latched topics and the clock; with --loop, after the first round"},
	{Flag: "try-future-version", Help: "accepted for compatibility with rosbag play; all known versions are read"},
	{Flag: "topics", Kind: Texts, Row: true, Help: "topics to play"},
	{Flag: "regex", Kind: Texts, Row: true, Help: "play topics whose whole name matches"},
	{Flag: "exclude", Short: "x", Kind: Texts, Row: true, Help: "leave out topics whose whole name matches"},
	{Flag: "types", Kind: Texts, Row: true, Help: "play messages of these types"},
	{Flag: "exclude-types", Kind: Texts, Row: true, Help: "leave out messages of these types"},
	{Flag: "limit", Kind: Texts, Example: "/imu=10", Help: "play a topic at no more than this rate: TOPIC=HZ in bag time"},
	{Flag: "pause-topics", Kind: Texts, Row: true, Help: "pause before each message of these topics"},
	{Flag: "bags", Kind: Texts, Help: "bags to play"},
	{Flag: "wait-for-subscribers", Help: "wait until every topic has a subscriber"},
	{Flag: "lossy-ok", Help: "exit with 0 even if slow subscribers lost messages or not everything could be computed in time"},
	{Flag: "rate-control-topic", Kind: Text, Help: "wait while the header stamps of this topic lag"},
	{Flag: "rate-control-max-delay", Kind: Seconds, Default: "1", Help: "how many seconds they may lag"},
	{Flag: "restamp", Help: "move header stamps to now, so that no /clock is needed"},
	{Running: "position", Kind: Seconds, Help: "position in seconds from the start"},
}

var playTopics = Set{
	master,
	{Flag: "naming", Kind: Word, Choices: []string{"sdk", "wrapper", "both"}, Default: "sdk", Help: "sdk: topics as recorded; wrapper: a RealSense bag as realsense2_camera's"},
	{Flag: "camera", Params: []string{"camera"}, Kind: Text, Default: "camera", Help: "prefix of the wrapper naming's topics and frames"},
}

// Wrapper reports whether only the wrapper naming uses the setting.
func Wrapper(name string) bool { return name == "camera" || wrapper.Find(name) != nil }

// topics has the flags of rosbag record, and more.
var topics = Set{
	{Flag: "all", Short: "a", Help: "record every topic"},
	{Flag: "regex", Short: "e", Help: "the topics are regular expressions that must match whole names"},
	{Flag: "exclude", Short: "x", Kind: Text, Help: "leave out topics whose whole name matches; alone it implies --all"},
	{Flag: "output-name", Short: "O", Kind: File, Help: "file to record into"},
	{Flag: "output-prefix", Short: "o", Kind: File, Help: "file name before the time stamp"},
	{Flag: "split", Help: "at --size or --duration start a new file instead of stopping"},
	{Flag: "size", Kind: MB, Help: "limit of a file in MB; 0 for no limit"},
	{Flag: "duration", Kind: Time, Auto: "no limit", Help: "limit of a file in time: seconds, or a number with s, m or h"},
	{Flag: "max-splits", Kind: Whole, Auto: "all", Help: "keep this many finished files, deleting the oldest"},
	{Flag: "limit", Short: "l", Kind: Whole, Auto: "no limit", Help: "record only this many messages of each topic"},
	{Flag: "repeat-latched", Help: "start each file of a split with the newest latched messages"},
	{Flag: "tcpnodelay", Help: "ask publishers to send without delay"},
	master,
	{Flag: "min-space", Short: "L", Kind: Bytes, Default: "1G", Help: "drop messages if the disk has less free space than this: bytes, or a number with k, M or G"},
	{Flag: "node", Kind: Text, Help: "record every topic that this node subscribes to"},
	{Flag: "topic", Kind: Texts, Help: "a topic to record, like the arguments"},
	{Flag: "publish", Short: "p", Help: "publish the path of each new file on /begin_write (std_msgs/String), latched"},
	{Flag: "quiet", Short: "q", Help: "log errors only"},
	{Flag: "udp", Help: "accepted for compatibility with rosbag record; messages always come over TCP"},
	{Flag: "buffsize", Short: "b", Kind: MB, Default: "256", Help: "MB that may wait for the disk; 0 for no limit"},
	{Flag: "db3", Help: "record ROS 2 messages into a rosbag2 .db3; -O NAME.db3 implies it"},
}

// Split has the size limits of split.
var Split = Set{
	{Flag: "size", Kind: MB, Auto: "no limit", Help: "limit of a part in MB"},
	{Flag: "duration", Kind: Time, Auto: "no limit", Help: "limit of a part in time: seconds, or a number with s, m or h"},
}

var demo = Set{
	{Flag: "dir", Kind: Folder, Auto: "a temporary one", Help: "folder for the bag"},
	{Flag: "duration", Kind: Time, Default: "5s", Help: "length of the recording: seconds, or a number with s, m or h"},
	{Flag: "keep", Help: "keep the bag"},
}

var viewer = Set{
	{Flag: "listen", Kind: Text, Auto: "a free port that only this machine reaches", Help: "address and port for viewers"},
	{Flag: "bags", Kind: Folder, Help: "folder of recordings that viewers may open and download"},
	{Flag: "record-path", Kind: Folder, Default: ".", Help: "folder for recordings that viewers start"},
	{Flag: "view-only", Help: "don't let viewers change anything"},
	{Flag: "no-auth", Help: "need no token, even if other machines can connect"},
	{Flag: "allow-host", Kind: List, Help: "another host name that browsers may use for this machine without a token"},
	{Flag: "allow-origin", Kind: List, Help: "an origin of another site whose pages may connect, such as https://example.org"},
	{Flag: "no-open", Help: "don't open the browser, only print the address"},
	{Flag: "master", Kind: Text, Help: "show this graph: the address of its master; ros for ROS_MASTER_URI; embedded or auto to start one there"},
}

// Master has the settings of the embedded master.
var Master = Set{
	{Flag: "port", Short: "p", Kind: Whole, Auto: "that of ROS_MASTER_URI", Help: "port to listen on; 0 chooses a free one"},
	{Flag: "listen", Kind: Text, Help: "additional address to listen on; 0.0.0.0 is every address of this machine"},
	{Flag: "core", Help: "accepted for compatibility with rosmaster"},
	{Flag: "numworkers", Short: "w", Kind: Whole, Help: "accepted for compatibility with rosmaster"},
	{Flag: "timeout", Short: "t", Kind: Text, Help: "accepted for compatibility with rosmaster"},
}
