package xmlrpc

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"rsros/test/need"
)

// BenchmarkDecode compares the decoder with the tokens alone of encoding/xml: for an
// answer of getSystemState with 1000 topics, a registration, and hostile documents.
func BenchmarkDecode(b *testing.B) {
	var topics []any
	for i := range 1000 {
		topics = append(topics, []any{fmt.Sprintf("/camera_%d/color/image_raw", i), []any{"/camera/realsense2_camera", "/rviz_1234567"}})
	}
	state, err := encodeResponse([]any{1, "current system state", []any{topics, topics, topics}})
	need.Must(b, err)
	registration, err := encodeResponse([]any{"/node", "/topic", "sensor_msgs/Image", "http://host:1234/"})
	need.Must(b, err)
	for name, document := range map[string][]byte{
		"state":        state,
		"registration": registration,
		"entities":     []byte("<methodResponse><params><param><value>" + strings.Repeat("&lt;", 1<<20-100) + "</value></param></params></methodResponse>"),
		"attributes":   []byte("<methodResponse" + strings.Repeat(" a='b'", 600_000) + "><params><param><value/></param></params></methodResponse>"),
	} {
		for decoder, decode := range map[string]func([]byte) error{
			"xmlrpc":       func(document []byte) error { _, err := decodeResponse(document); return err },
			"encoding-xml": tokens,
		} {
			b.Run(name+"/"+decoder, func(b *testing.B) {
				b.SetBytes(int64(len(document)))
				b.ReportAllocs()
				for b.Loop() {
					need.Must(b, decode(document))
				}
			})
		}
	}
}

func tokens(document []byte) error {
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		if _, err := d.RawToken(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
