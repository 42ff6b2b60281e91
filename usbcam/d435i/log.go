package d435i

import (
	"encoding/binary"
	"slices"
)

// Events and severities of the firmware's log. Their numbers are this camera's own.
const (
	eventBoot   = 1
	eventStream = 2
	eventError  = 3

	severityInfo  = 1
	severityError = 3
)

// eventLog holds records that the host hasn't read. If it is full, the oldest are dropped.
type eventLog struct {
	records [][]byte
	rolling uint32 // of 4 bits
}

// logSize is the maximum number of records in a reply.
const logSize = 50

// add appends a record of 20 bytes: magic number, severity, place and event as bit fields, three
// parameters, time in µs.
func (l *eventLog) add(us, severity, event, parameter uint32) {
	const magic, module = 0xa0, 1
	var b []byte
	for _, word := range []uint32{magic | severity<<8 | module<<27, event | l.rolling<<28, parameter, 0, us} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	l.rolling = (l.rolling + 1) & 0xf
	if l.records = append(l.records, b); len(l.records) > logSize {
		l.records = l.records[1:]
	}
}

// take returns and removes the records.
func (l *eventLog) take() []byte {
	b := slices.Concat(l.records...)
	l.records = nil
	return b
}
