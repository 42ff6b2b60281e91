package dds

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"rsros/ros2/internal/rtps"
)

// QoS is what a pair of endpoints must agree about.
type QoS struct {
	Reliable       bool
	TransientLocal bool // the writer keeps samples for readers that come later
	Depth          int  // samples that are kept; not announced
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
	foreign  foreign
	locators []netip.AddrPort // empty: those of the participant
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
	note(reader.QoS.Reliable && !writer.QoS.Reliable, "the subscriber wants reliable, the publisher offers best effort")
	note(reader.QoS.TransientLocal && !writer.QoS.TransientLocal, "the subscriber wants transient local, the publisher offers volatile")
	w, r := &writer.foreign, &reader.foreign
	note(r.deadline != 0 && (w.deadline == 0 || w.deadline > r.deadline), "the subscriber's deadline is %s, the publisher offers %s", r.deadline, orInfinite(w.deadline))
	note(r.liveliness > w.liveliness, "the subscriber wants another kind of liveliness")
	note(r.lease != 0 && (w.lease == 0 || w.lease > r.lease), "the subscriber's liveliness lease is %s, the publisher offers %s", r.lease, orInfinite(w.lease))
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

// builtin reports whether the endpoint belongs to discovery.
func (e *Endpoint) builtin() bool { return e.Topic == "" }

func (e *Endpoint) writes() bool { return e.GUID.Entity().IsWriter() }
