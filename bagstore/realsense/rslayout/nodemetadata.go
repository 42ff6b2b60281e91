package rslayout

import (
	"encoding/json"
	"fmt"
	"sync"

	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
)

// hardwareStamp is the key of Frame Timestamp; frame_timestamp is the frame's.
const hardwareStamp = "hw_timestamp"

var metadataKeys = sync.OnceValue(func() map[string]camdriver.MetadataKey {
	keys := map[string]camdriver.MetadataKey{hardwareStamp: camdriver.MetaFrameTimestamp}
	for k := range camdriver.MetaEmbeddedFilters + 1 {
		if k != camdriver.MetaFrameTimestamp {
			keys[camdriver.SnakeCase(k.String())] = k
		}
	}
	return keys
})

var nodeDomains = map[string]camdriver.Domain{
	"hardware_clock": camdriver.HardwareClock, "system_time": camdriver.SystemTime, "global_time": camdriver.GlobalTime,
}

// ParseNodeMetadata parses the JSON of a Metadata message, which must have number, time and domain.
func ParseNodeMetadata(text string) (m rstext.Metadata, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return m, fmt.Errorf("metadata: %w", err)
	}
	var domain string
	for _, f := range []struct {
		key  string
		into any
	}{{"frame_number", &m.Number}, {"clock_domain", &domain}, {"frame_timestamp", &m.Timestamp}} {
		if err := json.Unmarshal(fields[f.key], f.into); err != nil {
			return rstext.Metadata{}, fmt.Errorf("metadata: %s is %.40q: %w", f.key, fields[f.key], err)
		}
		delete(fields, f.key)
	}
	var known bool
	if m.Domain, known = nodeDomains[domain]; !known {
		return rstext.Metadata{}, fmt.Errorf("metadata: clock_domain is %.40q", domain)
	}
	for name, text := range fields {
		key, known := metadataKeys()[name]
		var v int64
		if !known || json.Unmarshal(text, &v) != nil {
			m.Unknown = append(m.Unknown, name)
			continue
		}
		m.Values = append(m.Values, camdriver.MetadataValue{Key: key, Value: v})
	}
	return m, nil
}
