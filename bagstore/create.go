package bagstore

import "os"

// createSink opens the file for writing. fallback says why a direct sink that
// was asked for could not be had.
func createSink(path string, o Options) (s sink, fallback, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, nil, err
	}
	return &bufferedSink{d: newDisk(f)}, nil, nil
}
