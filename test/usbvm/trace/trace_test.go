package trace

import (
	"bytes"
	"os"
	"testing"

	"rsros/test/need"
)

// TestReadWrite reads a recording and writes it again.
func TestReadWrite(t *testing.T) {
	const path = "../../../usbcam/d435i/testdata/librealsense-2.56.txt"
	want, err := os.ReadFile(path)
	need.Must(t, err)
	list, err := Read(path)
	need.Must(t, err)
	var got bytes.Buffer
	if err := Write(&got, list); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the recording has changed from %d bytes to %d, %v", len(want), got.Len(), err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, line := range []string{"", "in", "in 100", "21 01 0100 0300", "21 01 0100 0300 x", "21 01 0100 0300 0001 >", "21 01 0100 0300 0001 = 00",
		"21 01 0100 0300 0001 > 0", "a1 81 0100 0300 0001 < (x)", "a1 81 0100 0300 0001 < (60000)(60000)"} {
		if e, err := parse(line); err == nil {
			t.Errorf("%q is read as %+v", line, e)
		}
	}
}
