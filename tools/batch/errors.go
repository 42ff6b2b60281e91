package batch

import (
	"errors"
	"fmt"
)

var (
	errName = errors.New("a name with control characters, empty elements or .. isn't opened")
	errMany = fmt.Errorf("more than %d recordings; name a folder below", maxItems)
	// errTaken means that another run has written the marker meanwhile.
	errTaken = errors.New("another run is processing the same recording")
)
