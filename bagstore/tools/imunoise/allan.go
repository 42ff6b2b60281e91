package imunoise

// allan computes overlapping Allan variances of three axes while samples come in, in memory that
// grows with the logarithm of their number.
//
// Cluster times are about four an octave. Up to 64 samples, clusters begin at every sample; the longer
// ones, of 33 to 64 steps of 2, 4, 8, … samples, begin at every step, which loses next to nothing:
// clusters that overlap by so much are almost equal.
//
// Samples are in slots of equal length. A slot may be empty: a sample was lost. A cluster's mean is that
// of its samples, and clusters that lack more than a tenth aren't used.
type allan struct {
	levels []*level
	slots  uint64 // that are closed, since the last gap
	at     point  // after them, and of the open slot
	offset [3]float64
	begun  bool
}

// point is the sum of samples since the last gap, and their number.
type point struct {
	sum   [3]float64
	count uint64
}

// level has the points of every 2^i-th slot.
type level struct {
	ring     [2*maxSteps + 1]point
	points   int // since the last gap
	clusters []cluster
}

// maxSteps is the length of a level's longest cluster.
const maxSteps = 64

// cluster sums over pairs of clusters that follow each other.
type cluster struct {
	steps   int // of its level
	slots   uint64
	pairs   uint64
	squares [3]float64 // of the differences of means
	// excess sums the factors by which lost samples raise the variance of white noise, 1 for a pair without.
	excess float64
}

func newLevel(i int) *level {
	l := new(level)
	lengths := []int{38, 45, 54, 64}
	if i == 0 {
		lengths = append([]int{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 19, 23, 27, 32}, lengths...)
	}
	for _, n := range lengths {
		l.clusters = append(l.clusters, cluster{steps: n, slots: uint64(n) << i})
	}
	l.push(point{})
	return l
}

// add puts a sample into the open slot.
func (a *allan) add(v [3]float64) {
	if !a.begun {
		a.offset, a.begun = v, true // sums of small numbers are exact
		a.levels = []*level{newLevel(0)}
	}
	for i := range v {
		a.at.sum[i] += v[i] - a.offset[i]
	}
	a.at.count++
}

// close closes the open slot, and opens the next one.
func (a *allan) close() {
	a.slots++
	for i := 0; a.slots%(1<<i) == 0; i++ {
		if i == len(a.levels) {
			a.levels = append(a.levels, newLevel(i))
		}
		a.levels[i].push(a.at)
	}
}

// gap ends all clusters.
func (a *allan) gap() {
	a.slots, a.at = 0, point{}
	for _, l := range a.levels {
		l.points = 0
		l.push(point{})
	}
}

// push adds a point, and the pair of clusters of each length that it ends.
func (l *level) push(p point) {
	l.ring[l.points%len(l.ring)] = p
	l.points++
	for i := range l.clusters {
		c := &l.clusters[i]
		if l.points <= 2*c.steps {
			break
		}
		middle, first := &l.ring[(l.points-1-c.steps)%len(l.ring)], &l.ring[(l.points-1-2*c.steps)%len(l.ring)]
		c.pair(first, middle, &p)
	}
}

func (c *cluster) pair(first, middle, last *point) {
	n, m := middle.count-first.count, last.count-middle.count
	full := float64(c.slots)
	if float64(min(n, m)) < 0.9*full {
		return
	}
	for i := range c.squares {
		d := (last.sum[i]-middle.sum[i])/float64(m) - (middle.sum[i]-first.sum[i])/float64(n)
		c.squares[i] += d * d
	}
	c.pairs++
	c.excess += (full/float64(n) + full/float64(m)) / 2
}

// variance is a point of the curve.
type variance struct {
	slots  float64    // length of a cluster
	axes   [3]float64 // Allan variances
	excess float64    // by which the share of white noise in them is too large
	// clusters is the number of clusters of this length that fit into the recording without overlap.
	clusters float64
}

// mean returns the mean of axes.
func (v variance) mean(axes []int) (mean float64) {
	for _, k := range axes {
		mean += v.axes[k] / float64(len(axes))
	}
	return mean
}

// curve returns the variances of all lengths of which there are enough clusters.
func (a *allan) curve() (list []variance) {
	for _, l := range a.levels {
		for _, c := range l.clusters {
			clusters := float64(c.pairs) / float64(c.steps)
			if clusters < minClusters {
				continue
			}
			v := variance{slots: float64(c.slots), excess: c.excess / float64(c.pairs), clusters: clusters}
			for k := range v.axes {
				v.axes[k] = c.squares[k] / float64(2*c.pairs)
			}
			list = append(list, v)
		}
	}
	return list
}

// minClusters is the number of clusters that a point of the curve needs.
const minClusters = 8
