package viewer

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"rsros/bagstore/place"
	"rsros/tools/catalog"
	"rsros/viewer/guard"
	"rsros/viewer/library"
)

// RunOptions are the options of the view command.
type RunOptions struct {
	Options
	Show   string // a device, a recording, which may be a folder of rosbag2, or a library.Library; "" shows nothing yet
	Folder string `setting:"bags"` // the library.Library that viewers may open; "" is that of Show, if it is one
	guard.Access
	Attach func(*Server) // if not nil, shows something else in place of Show
	Ready  func(url string)
}

// Run serves the viewer until ctx ends.
func Run(ctx context.Context, o RunOptions) (err error) {
	o.Address = cmp.Or(o.Address, "127.0.0.1:0")
	show, file := o.Show, ""
	folder := show != "" && library.IsRosbag2(ctx, show)
	if show != "" && !folder && library.Is(show) {
		o.Folder, show = show, ""
	}
	if o.Folder != "" {
		if o.Library, err = library.Open(ctx, o.Folder); err != nil {
			return err
		}
		defer o.Library.Close() //nolint:errcheck // it was only read
		if name, err := filepath.Rel(o.Folder, show); show != "" && err == nil && filepath.IsLocal(name) {
			file = filepath.ToSlash(name)
		}
	}
	s, err := New(o.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if o.Attach != nil {
		o.Attach(s)
	}
	if show != "" {
		name := ""
		if folder || catalog.IsRecording(show) {
			name = place.Base(show)
			file = cmp.Or(file, name)
		}
		if err := s.Show(ctx, show, name, file); err != nil {
			return err
		}
	}
	l, err := guard.Listen(o.Access, o.Log, s)
	if err != nil {
		return err
	}
	o.Ready(l.URL().Secret())
	err = l.Wait(ctx)
	return errors.Join(err, l.Close())
}
