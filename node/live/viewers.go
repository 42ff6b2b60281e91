package live

import (
	"sync"

	"rsros/node/record"
	"rsros/node/view"
	"rsros/node/viewers"
)

// page is the page of the viewer. It shows one camera.
type page struct {
	mu     sync.Mutex
	listen *viewers.Listener // nil without viewers
	shown  *camera           // nil before the first one is there
}

// ViewerURL is what a browser opens to see the page; "" if it isn't served.
func (n *Node) ViewerURL() string { return n.page.listen.URL() }

// serveViewers serves the viewer's page, if the options say where. It controls what
// services and parameters control.
func (n *Node) serveViewers() (err error) {
	n.page.listen, err = viewers.Serve(n.joined, viewers.Options{Access: n.opts.HTTP, RecordDir: record.Folder(n.cameras[0].opts.RecordPath), Log: n.opts.Log})
	if err == nil {
		n.later(n.page.listen.Close)
	}
	return err
}

// show lets viewers see the first camera that is there, unless they see one already.
func (n *Node) show() {
	p := &n.page
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listen == nil || p.shown != nil {
		return
	}
	for _, c := range n.cameras {
		if c.up.Load() {
			p.shown = c
			p.listen.Page.Attach(view.Running{Device: c.device, Profiles: c.profiles, Hub: &c.hub, Records: &c.records, Frozen: &c.frozen}, c.opts.Source.Device)
			if c.several {
				c.log.Warn().Msg("the viewer shows this camera only")
			}
			return
		}
	}
}
