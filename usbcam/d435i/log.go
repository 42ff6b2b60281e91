package d435i

import "encoding/binary"

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
	b := binary.LittleEndian.AppendUint32(nil, magic|severity<<8|module<<27)
	b = binary.LittleEndian.AppendUint32(b, event|l.rolling<<28)
	b = binary.LittleEndian.AppendUint32(b, parameter)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, us)
	l.rolling = (l.rolling + 1) & 0xf
	if l.records = append(l.records, b); len(l.records) > logSize {
		l.records = l.records[1:]
	}
}

// take returns and removes the records.
func (l *eventLog) take() []byte {
	var b []byte
	for _, r := range l.records {
		b = append(b, r...)
	}
	l.records = nil
	return b
}
