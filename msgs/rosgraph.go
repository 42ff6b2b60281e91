package msgs

// Clock is rosgraph_msgs/Clock.
type Clock struct{ Clock Time }

func (m *Clock) fields(c codec) { c.time(&m.Clock) }

// Levels of a Log.
const (
	LogDebug = 1
	LogInfo  = 2
	LogWarn  = 4
	LogError = 8
	LogFatal = 16
)

// Log is rosgraph_msgs/Log, the type of /rosout.
type Log struct {
	Header   Header
	Level    uint8
	Name     string // of the node
	Msg      string
	File     string
	Function string
	Line     uint32
	Topics   []string // published by the node
}

func (m *Log) fields(c codec) {
	m.Header.fields(c)
	c.u8(&m.Level)
	c.str(&m.Name, &m.Msg, &m.File, &m.Function)
	c.u32(&m.Line)
	size(c, &m.Topics, 4)
	for i := range m.Topics {
		c.str(&m.Topics[i])
	}
}

// TopicStatistics is rosgraph_msgs/TopicStatistics: what a subscriber received of a topic in a time.
type TopicStatistics struct {
	Topic                               string
	NodePub, NodeSub                    string
	WindowStart, WindowStop             Time
	DeliveredMsgs, DroppedMsgs, Traffic int32       // traffic in bytes
	Period, StampAge                    [3]Duration // mean, standard deviation, maximum
}

func (m *TopicStatistics) fields(c codec) {
	c.str(&m.Topic, &m.NodePub, &m.NodeSub)
	c.time(&m.WindowStart)
	c.time(&m.WindowStop)
	c.i32(&m.DeliveredMsgs, &m.DroppedMsgs, &m.Traffic)
	c.durations(m.Period[:])
	c.durations(m.StampAge[:])
}
