package upload

import (
	"context"
	"fmt"
	"time"

	"rsros/bagstore/place"
	"rsros/program"
)

// Options are the settings of uploads.
type Options struct {
	To    string        `setting:"upload"`       // address prefix of the files; no uploads if empty
	Keep  bool          `setting:"upload-keep"`  // don't remove uploaded files
	Limit int64         `setting:"upload-limit"` // bytes of finished files that may wait before Full; 0 is no limit
	Wait  time.Duration `setting:"upload-wait"`  // how long Close keeps uploading
}

// Check rejects an address that can't be written.
func (o Options) Check() error {
	switch {
	case o.To == "":
		return nil
	case !place.IsAddress(o.To):
		return fmt.Errorf("%w: --upload %s: want an address such as s3://bucket/robot7", program.ErrUsage, o.To)
	}
	if err := place.Free(context.Background(), o.To, true); err != nil { // checks that there is a store
		return fmt.Errorf("%w: --upload: %w", program.ErrUsage, err)
	}
	return nil
}

// OnlyPaths returns an error if a recording's path is an address: recordings are written to local files.
func OnlyPaths(names ...string) error {
	for _, name := range names {
		if place.IsAddress(name) {
			return fmt.Errorf("%w: %s: recordings are written to files; --upload puts finished ones there", program.ErrUsage, name)
		}
	}
	return nil
}
