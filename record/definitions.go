package record

import (
	"sync"

	"rsros/msgs"
	"rsros/ros"
)

// definitions has the parsed definitions of received messages.
type definitions struct {
	mu    sync.Mutex
	specs map[string]*msgs.Spec // by type and checksum; nil if the definition is invalid
}

// of returns nil if the definition is invalid.
func (d *definitions) of(h ros.Header) *msgs.Spec {
	key := h["type"] + " " + h["md5sum"]
	d.mu.Lock()
	defer d.mu.Unlock()
	spec, known := d.specs[key]
	if !known {
		if d.specs == nil {
			d.specs = map[string]*msgs.Spec{}
		}
		spec, _ = msgs.Parse(h["type"], h["message_definition"])
		d.specs[key] = spec
	}
	return spec
}
