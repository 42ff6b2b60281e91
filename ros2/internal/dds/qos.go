package dds

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"rsros/ros2/internal/rtps"
)

// QoS is what a pair of endpoints must agree about. The zero value is best effort and volatile.
type QoS struct {
	Reliable       bool
	TransientLocal bool // late readers get the last samples, Depth of them
	Depth          int  // samples that are kept for slow and late readers; default 10; not announced
}

// foreign is the QoS that we don't offer, as peers announce it.
type foreign struct {
	deadline   time.Duration // 0: infinite
	liveliness uint32
	lease      time.Duration // 0: infinite
	exclusive  bool
	partition  bool
	noXCDR1    bool
}

// Endpoint is a writer or a reader, of this participant or another one.
type Endpoint struct {
	GUID     rtps.GUID
	Topic    string
	Type     string
	QoS      QoS
	UserData string
	ignore   string // of our readers, see ReaderOptions.Ignore
	foreign  foreign
	locator  netip.AddrPort // zero: that of the participant
}

// Mismatch returns why a reader doesn't get a writer's samples, or "".
func Mismatch(writer, reader *Endpoint) string {
	var why []string
	note := func(bad bool, format string, args ...any) {
		if bad {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	note(writer.Type != reader.Type, "the types differ: %s and %s", writer.Type, reader.Type)
	longer := func(what string, offered, wanted time.Duration) {
		note(wanted != 0 && (offered == 0 || offered > wanted), "the subscriber's %s is %s, the publisher offers %s",
			what, wanted, orInfinite(offered))
	}
	const wants = "the subscriber wants %s, the publisher offers %s"
	note(reader.QoS.Reliable && !writer.QoS.Reliable, wants, "reliable", "best effort")
	note(reader.QoS.TransientLocal && !writer.QoS.TransientLocal, wants, "transient local", "volatile")
	w, r := &writer.foreign, &reader.foreign
	longer("deadline", w.deadline, r.deadline)
	note(r.liveliness > w.liveliness, "the subscriber wants another kind of liveliness")
	longer("liveliness lease", w.lease, r.lease)
	note(w.exclusive != r.exclusive, "the ownership differs")
	note(w.partition != r.partition, "one of them is in a partition")
	note(w.noXCDR1 || r.noXCDR1, "the data representation isn't XCDR1")
	return strings.Join(why, "; ")
}

func orInfinite(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

func (e *Endpoint) ignores(writer *Endpoint) bool {
	return e.ignore != "" && strings.Contains(writer.UserData, e.ignore)
}

// builtin reports whether the endpoint belongs to discovery.
func (e *Endpoint) builtin() bool { return e.Topic == "" }

func (e *Endpoint) writes() bool { return e.GUID.Entity().IsWriter() }
