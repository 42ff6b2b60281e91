package localfile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Temp creates a temporary file that is deleted when it is closed or the program ends.
func Temp() (*os.File, error) {
	name := filepath.Join(os.TempDir(), fmt.Sprint("rs-ros-node-", rand.Uint64()))
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
