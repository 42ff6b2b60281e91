package api

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Request is a message of the page. Fields that its Op doesn't use are zero.
type Request struct {
	Op string   `json:"op"`
	ID *float64 `json:"id"` // nil for operations that aren't answered

	Stream  uint16 `json:"stream"`
	Codec   string `json:"codec"` // "raw" or "packed"
	Divisor int    `json:"divisor"`
	Upto    uint32 `json:"upto"`
	T       any    `json:"t"`

	Time   *Nanos    `json:"time"`
	Set    *int      `json:"set"`
	Frame  *uint64   `json:"frame"`
	Sets   int       `json:"sets"`
	Rate   float64   `json:"rate"`
	On     bool      `json:"on"`
	Range  *[2]Nanos `json:"range"`
	Sensor int       `json:"sensor"`
	Option string    `json:"option"`
	Value  *float32  `json:"value"`
	File   string    `json:"file"`
	Device string    `json:"device"`
	Camera string    `json:"camera"` // of a recording's requests; "" is all

	Name         string  `json:"name"`
	Compression  string  `json:"compression"`
	SplitSeconds float64 `json:"splitSeconds"`
	SplitBytes   int64   `json:"splitBytes"`

	From string `json:"-"` // address of the viewer
}

// ParseRequest decodes a message of the page. If the message has an ID, the caller checks that
// the operation and the names exist. Operations without an ID are checked completely.
func ParseRequest(text []byte) (*Request, error) {
	var r Request
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("message of the page: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return &r, nil
}

// check checks the operations that aren't answered.
func (r *Request) check() error {
	switch r.Op {
	case "subscribe":
		if r.Codec != "raw" && r.Codec != "packed" {
			return fmt.Errorf("subscribe: codec %q, want raw or packed", r.Codec)
		}
		if r.Divisor != 1 && r.Divisor != 2 && r.Divisor != 4 {
			return fmt.Errorf("subscribe: divisor %d, want 1, 2 or 4", r.Divisor)
		}
	case "unsubscribe", "credit":
	case "ping": // whose mark is echoed
		text, isText := r.T.(string)
		if _, isNumber := r.T.(float64); !isNumber && !(isText && len(text) <= 64) {
			return errors.New("ping: t is neither a number nor a short string")
		}
	default:
		if r.ID == nil {
			return fmt.Errorf("message of the page: op %.40q has no id and isn't known", r.Op)
		}
	}
	return nil
}
