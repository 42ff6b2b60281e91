package live

import (
	"rsros/node/foxglove/nodegraph"
	"rsros/node/record"
	"rsros/node/view"
)

// ViewerURL is what a browser opens to see the page; "" if it isn't served.
func (n *Node) ViewerURL() string {
	if n.viewers == nil {
		return ""
	}
	return n.viewers.URL()
}

// serveViewers serves the viewer's page, if the options say where. It shows the device, or
// the first of several, and controls what services and parameters control. Foxglove's
// clients are served on the same port.
func (n *Node) serveViewers() error {
	if n.opts.HTTP.Address == "" {
		return nil
	}
	c := n.cameras[0]
	foxglove := nodegraph.Server(n.joined, n.opts.HTTPViewOnly)
	n.later(func() error { foxglove.Close(); return nil })
	s, err := view.New(view.Options{
		RecordDir: record.Folder(c.opts.RecordPath), ViewOnly: n.opts.HTTPViewOnly, Others: foxglove, Log: n.log.With().Str("component", "view").Logger(),
	})
	if err != nil {
		return err
	}
	n.later(s.Close)
	s.Attach(view.Running{Device: c.device, Profiles: c.profiles, Hub: &c.hub, Records: &c.records, Frozen: &c.frozen}, c.opts.Source.Device)
	l, err := view.Listen(n.opts.HTTP, s)
	if err != nil {
		return err
	}
	n.later(l.Close)
	n.viewers = l
	n.opts.Log.Info().Str("url", l.URL()).Msg("serving the viewer") // not to /rosout: the token is in it
	if len(n.cameras) > 1 {
		n.log.Warn().Str("shown", c.opts.Camera).Msg("the viewer shows one camera only")
	}
	return nil
}
