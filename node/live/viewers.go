package live

import (
	"sync"

	"rsros/node/foxglove/nodegraph"
	"rsros/node/record"
	"rsros/node/view"
)

// viewers serve the page of the viewer. They show one camera.
type viewers struct {
	mu     sync.Mutex
	server *view.Server   // nil without viewers
	listen *view.Listener // nil without viewers
	shown  *camera        // nil before the first one is there
}

// ViewerURL is what a browser opens to see the page; "" if it isn't served.
func (n *Node) ViewerURL() string {
	if n.viewers.listen == nil {
		return ""
	}
	return n.viewers.listen.URL()
}

// serveViewers serves the viewer's page, if the options say where. It controls what
// services and parameters control. Foxglove's clients are served on the same port.
func (n *Node) serveViewers() error {
	if n.opts.HTTP.Address == "" {
		return nil
	}
	foxglove := nodegraph.Server(n.joined, n.opts.HTTPViewOnly)
	n.later(func() error { foxglove.Close(); return nil })
	s, err := view.New(view.Options{
		RecordDir: record.Folder(n.cameras[0].opts.RecordPath), ViewOnly: n.opts.HTTPViewOnly, Others: foxglove, Log: n.log.With().Str("component", "view").Logger(),
	})
	if err != nil {
		return err
	}
	n.later(s.Close)
	l, err := view.Listen(n.opts.HTTP, s)
	if err != nil {
		return err
	}
	n.later(l.Close)
	n.viewers.server, n.viewers.listen = s, l
	n.opts.Log.Info().Str("url", l.URL()).Msg("serving the viewer") // not to /rosout: the token is in it
	return nil
}

// show lets viewers see the first camera that is there, unless they see one already.
func (n *Node) show() {
	v := &n.viewers
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.server == nil || v.shown != nil {
		return
	}
	for _, c := range n.cameras {
		if c.up.Load() {
			v.shown = c
			v.server.Attach(view.Running{Device: c.device, Profiles: c.profiles, Hub: &c.hub, Records: &c.records, Frozen: &c.frozen}, c.opts.Source.Device)
			if c.several {
				c.log.Warn().Msg("the viewer shows this camera only")
			}
			return
		}
	}
}
