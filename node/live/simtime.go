package live

import "context"

// warnOfSimTime says that a camera's frames don't follow simulated time. A
// recording needs no warning: its /clock is the time of its frames.
func (n *Node) warnOfSimTime(ctx context.Context) {
	if n.cameras[0].opts.Source.isBag() {
		return
	}
	v, ok, err := n.node.Param(ctx, "/use_sim_time")
	if on, _ := v.(bool); err == nil && ok && on {
		n.log.Warn().Msg("/use_sim_time is true, but frames are stamped with the computer's time, not with /clock: " +
			"a camera takes its frames in real time, and /clock may stop or jump between two of them")
	}
}
