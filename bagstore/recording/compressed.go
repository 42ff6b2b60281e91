package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore/db3"
	"rsros/bagstore/mcap"
	"rsros/bagstore/place"
	"rsros/program/localfile"
)

// Limits of files that are compressed with zstd.
const (
	maxWindow = 128 << 20
	maxRatio  = 1000 // of uncompressed to compressed size; camera data don't reach 100
)

// openCompressed decompresses a file that rosbag2 compressed as a whole to a temporary file.
func openCompressed(ctx context.Context, in place.File) (_ container, err error) {
	path := in.Info().Name
	defer in.Close() //nolint:errcheck // only read
	out, err := localfile.Temp()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			out.Close() //nolint:errcheck // the temporary file is unlinked
		}
	}()
	size, err := unpack(out, in)
	if err != nil {
		return nil, fmt.Errorf("%s: unpack: %w", path, cmp.Or(place.Failed(in), err))
	}
	head := make([]byte, sniffBytes)
	n, err := out.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var c container
	switch sniff(head[:n]) {
	case SQLite:
		c, err = db3.OpenReader(out, size, path)
	case MCAP:
		c, err = mcap.OpenReader(out, size, path, mcap.Options{})
	default:
		err = fmt.Errorf("%s: the compressed content is %v", path, errNotContainer) // nor a bag
	}
	if err != nil {
		return nil, err
	}
	return owner{c, out}, nil
}

func unpack(out io.Writer, in place.File) (int64, error) {
	size := in.Info().Size
	dec, err := zstd.NewReader(io.NewSectionReader(in, 0, size), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return 0, err
	}
	defer dec.Close()
	limit := maxRatio*size + 1
	n, err := io.Copy(out, io.LimitReader(dec, limit))
	if err == nil && n == limit {
		err = fmt.Errorf("the content is over %d times the size of the file", maxRatio)
	}
	return n, err
}

type owner struct {
	container
	file *os.File
}

func (o owner) Close() error { return errors.Join(o.container.Close(), o.file.Close()) }
