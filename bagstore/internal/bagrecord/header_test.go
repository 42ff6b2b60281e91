package bagrecord

import "testing"

// FuzzHeader parses arbitrary bytes as a record header.
func FuzzHeader(f *testing.F) {
	f.Add(AppendHeader(nil, OpMessage, func(b []byte) []byte { return AppendTime(AppendU32(b, "conn", 1), "time", 5) })[4:])
	f.Add([]byte("\x04\x00\x00\x00op=\x05\xff\xff\xff\xff"))
	f.Add(AppendHeader(nil, OpFileHeader, func(b []byte) []byte {
		return AppendU64(AppendU32(AppendU32(b, "chunk_count", 2), "conn_count", 1), "index_pos", 4117)
	})[4:])
	f.Fuzz(func(_ *testing.T, b []byte) {
		var h Header
		if h.Parse(b) == nil {
			_ = h.Need(HasConn | HasTime | HasTopic)
		}
		for len(b) > 0 {
			var err error
			if _, _, b, err = NextField(b); err != nil {
				return
			}
		}
	})
}
