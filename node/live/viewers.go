package live

import (
	"slices"
	"sync"

	"rsros/node/record"
	"rsros/node/view"
	"rsros/node/viewers"
)

// page is the viewer's page. It shows one camera at a time.
type page struct {
	mu     sync.Mutex
	listen *viewers.Listener // nil without viewers
	shown  []*camera         // cameras that started
}

// ViewerURL returns the page's URL, or "" if it isn't served.
func (n *Node) ViewerURL() string { return n.page.listen.URL() }

// serveViewers serves the viewer's page if the options have an address.
func (n *Node) serveViewers() (err error) {
	n.page.listen, err = viewers.Serve(n.joined, viewers.Options{Access: n.opts.HTTP, RecordDir: record.Folder(n.cameras[0].opts.RecordPath), Log: n.opts.Log})
	if err == nil {
		n.later(n.page.listen.Close)
	}
	return err
}

// show offers the started cameras to viewers in the order of their start. Viewers first see
// the first.
func (n *Node) show() {
	p := &n.page
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listen == nil {
		return
	}
	for _, c := range n.cameras {
		if c.up.Load() && !slices.Contains(p.shown, c) {
			p.shown = append(p.shown, c)
			p.listen.Page.Attach(c.running())
		}
	}
}

func (c *camera) running() view.Running {
	name := c.opts.Source.Device
	if c.several {
		name = c.opts.Camera
	}
	return view.Running{
		ID: c.opts.Camera, Name: name, Device: c.device, Profiles: c.profiles, Hub: &c.hub, Records: &c.records,
		RecordDir: record.Folder(c.opts.RecordPath), Frozen: &c.frozen,
	}
}
