package place

import "sync/atomic"

// Traffic counts what was read from addresses.
type Traffic struct {
	Requests int64 `json:"requests"`
	Retries  int64 `json:"retries"`
	Fetched  int64 `json:"bytes_fetched"`
	Needed   int64 `json:"bytes_needed"` // of them, to 1 KiB
	Kept     int64 `json:"bytes_kept"`   // that the folder of KeepIn or a temporary file had, beside those fetched
}

var traffic struct{ requests, retries, fetched, needed, kept atomic.Int64 }

// TrafficNow returns the counts of the process since its start.
func TrafficNow() Traffic {
	return Traffic{traffic.requests.Load(), traffic.retries.Load(), traffic.fetched.Load(),
		traffic.needed.Load(), traffic.kept.Load()}
}

// Since returns the difference to earlier counts.
func (t Traffic) Since(before Traffic) Traffic {
	return Traffic{t.Requests - before.Requests, t.Retries - before.Retries, t.Fetched - before.Fetched,
		t.Needed - before.Needed, t.Kept - before.Kept}
}
