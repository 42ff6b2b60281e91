package verify

import (
	"cmp"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

// differences names what differs. It looks for chunks and index sections between the elements that are at their
// places, and compares these with the signed ones that aren't.
func (w *whole) differences() error {
	var got []element
	for i := 0; i < len(w.want); {
		if w.want[i].same {
			got = append(got, w.want[i])
			i++
			continue
		}
		from := i
		for i < len(w.want) && !w.want[i].same {
			i++
		}
		start, end := int64(bagstore.FirstChunk), w.s.size
		if from > 0 {
			start = w.want[from-1].end
		}
		if i < len(w.want) {
			end = w.want[i].pos
		}
		found, err := w.gap(w.want[from:i], start, end)
		if err != nil {
			return err
		}
		got = append(got, found...)
	}
	if last := len(got) - 1; last >= 0 && w.want[len(w.want)-1].same {
		w.rest(got[last].end)
	}
	w.compare(got)
	return nil
}

// gap returns what is in [start, end), where the elements of want should be.
func (w *whole) gap(want []element, start, end int64) ([]element, error) {
	found, err := w.scan(want, start, end)
	if err != nil {
		return nil, err
	}
	fits := start == want[0].pos && end >= want[len(want)-1].end
	broken := len(found) != len(want) || slices.ContainsFunc(found, func(e element) bool { return e.kind == 0 })
	if !fits || !broken || w.recognized(want, found) {
		return found, nil
	}
	// Nothing has moved, and lengths in the file can't be relied on: each element is taken to be where it was.
	found = slices.Clone(want)
	for i := range found {
		e := &found[i]
		if e.kind == proof.KindChunk {
			e.key, err = w.s.content(e.head)
			if err != nil || e.key == (proof.Digest{}) {
				e.key = placeKey(e.pos)
			}
			e.index, _ = w.s.digest(e.dataEnd(), e.end-e.dataEnd())
		} else if e.key, err = w.s.digest(e.pos, e.head.Stored); err != nil {
			return nil, err
		}
	}
	if last := found[len(found)-1].end; last < end {
		found = append(found, w.bytes(last, end))
	}
	return found, nil
}

// recognized reports whether some of what was found is what was signed, at another place.
func (w *whole) recognized(want, found []element) bool {
	was := make(map[proof.Digest]int64, len(want))
	for _, e := range want {
		was[e.key] = e.pos
	}
	return slices.ContainsFunc(found, func(f element) bool {
		pos, ok := was[f.key]
		return ok && f.kind == proof.KindChunk && pos != f.pos
	})
}

func (w *whole) bytes(pos, end int64) element { return element{pos: pos, end: end, key: placeKey(pos)} }

// maxStray bounds the elements that scan finds beyond those that are wanted. The rest counts as bytes.
const maxStray = 1 << 16

// scan finds the records in [start, end).
func (w *whole) scan(want []element, start, end int64) (found []element, err error) {
	most := 2*len(want) + maxStray
	for pos := start; pos < end; {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		e, ok := w.chunkAt(pos, end)
		if !ok {
			e, ok = w.sectionAt(pos, end)
		}
		switch {
		case len(found) >= most:
			e = w.bytes(pos, end)
		case !ok:
			e = w.bytes(pos, w.next(want, pos, end))
		}
		if n := len(found); n > 0 && e.kind == 0 && found[n-1].kind == 0 {
			found[n-1].end = e.end
		} else {
			found = append(found, e)
		}
		pos = e.end
	}
	return found, nil
}

func (w *whole) chunkAt(pos, end int64) (e element, ok bool) {
	h, err := w.parts.Chunk(pos)
	if err != nil || h.DataPos+h.Stored > end {
		return e, false
	}
	e = element{kind: proof.KindChunk, pos: pos, head: h}
	if e.key, err = w.s.content(h); err != nil {
		e.key = placeKey(pos)
	}
	e.end = e.dataEnd()
	for e.end < end {
		_, next, err := w.parts.Index(e.end, end)
		if err != nil {
			break
		}
		e.end = next
	}
	e.index, err = w.s.digest(e.dataEnd(), e.end-e.dataEnd())
	return e, err == nil
}

func (w *whole) sectionAt(pos, end int64) (e element, ok bool) {
	e = element{kind: proof.KindSection, pos: pos, end: pos}
	for infos := false; e.end < end; {
		c, _, next, err := w.parts.Described(e.end, end)
		if err != nil || c != nil && infos { // another section begins
			break
		}
		infos = infos || c == nil
		e.end = next
	}
	if e.end == pos {
		return e, false
	}
	e.head.DataPos, e.head.Stored = pos, e.end-pos
	var err error
	e.key, err = w.s.digest(pos, e.end-pos)
	e.end = w.parts.Padding(e.end, end)
	return e, err == nil
}

// maxTries bounds the places at which next looks for a record that should be there.
const maxTries = 16

// next returns where a record may begin again after damage at pos: where one should, or where one is found.
func (w *whole) next(want []element, pos, end int64) int64 {
	next := end
	first, _ := slices.BinarySearchFunc(want, pos+1, func(e element, pos int64) int { return cmp.Compare(e.pos, pos) })
	for _, e := range want[first:min(len(want), first+maxTries)] {
		_, err := w.parts.Chunk(e.pos)
		if err != nil {
			_, _, _, err = w.parts.Described(e.pos, end)
		}
		if err == nil && e.pos < end {
			next = e.pos
			break
		}
	}
	if at := w.parts.NextChunk(pos + 1); at >= 0 && at < next {
		next = at
	}
	return next
}

// compare names the differences between the signed elements and those of the file.
func (w *whole) compare(got []element) {
	for _, kind := range []proof.Kind{proof.KindChunk, proof.KindSection} {
		want, have := ofKind(w.want, kind), ofKind(got, kind)
		if kind == proof.KindChunk {
			have = append(have, ofKind(got, 0)...)
			slices.SortStableFunc(have, func(x, y *element) int { return cmp.Compare(x.pos, y.pos) })
		}
		w.lists(want, have)
	}
}

func ofKind(list []element, kind proof.Kind) (some []*element) {
	for i := range list {
		if list[i].kind == kind {
			some = append(some, &list[i])
		}
	}
	return some
}

func (w *whole) lists(want, got []*element) {
	key := func(e *element) proof.Digest { return e.key }
	steps := align(mapped(want, key), mapped(got, key))
	moved := make(map[int]bool)
	last := int64(0) // end of what is known in the file
	for _, s := range steps {
		moved[s.want] = s.want >= 0 // or changed: it is compared below
	}
	at := matched(want, got, steps)
	for i := range want {
		g, ok := at[i]
		if !ok {
			continue
		}
		if last = max(last, got[g].end); !moved[i] {
			w.sameContent(want[i], got[g])
		}
	}
	for _, s := range steps {
		switch {
		case s.want < 0:
			w.added(got[s.got], last)
		case s.got < 0:
			w.dropped(want[s.want])
		case s.moved:
			w.swapped(want[s.want], got[s.got])
		default:
			w.changed(want[s.want], got[s.got])
		}
	}
}

func mapped[T, K any](list []T, key func(T) K) []K {
	keys := make([]K, len(list))
	for i, e := range list {
		keys[i] = key(e)
	}
	return keys
}

// matched returns for each of want that the file has where that is, changed or not.
func matched(want, got []*element, steps []step) map[int]int {
	at := make(map[int]int)
	taken := make(map[int]bool)
	gone := make(map[int]bool)
	for _, s := range steps {
		if s.got >= 0 {
			taken[s.got] = true
		}
		if s.want >= 0 {
			gone[s.want] = true
			if s.got >= 0 {
				at[s.want] = s.got
			}
		}
	}
	g := 0
	for i := range want {
		if gone[i] {
			continue
		}
		for taken[g] {
			g++
		}
		at[i] = g
		g++
	}
	return at
}

func (w *whole) added(g *element, last int64) {
	d := Difference{Kind: Added, What: "bytes", Offset: g.pos, Text: fmt.Sprintf("%d bytes at byte %d", g.end-g.pos, g.pos)}
	switch {
	case !w.rep.Complete && g.pos >= last:
		w.rep.Unproven += g.end - g.pos
		return
	case g.kind == proof.KindChunk:
		d.What, d.Text = "chunk", fmt.Sprintf("a chunk of %d bytes at byte %d", g.head.Stored, g.pos)
	case g.kind == proof.KindSection:
		d.What, d.Text = "index section", fmt.Sprintf("an index section of %d bytes at byte %d", g.head.Stored, g.pos)
	}
	w.rep.add(d)
}

func (w *whole) dropped(e *element) {
	if e.kind == proof.KindSection {
		w.rep.add(Difference{Kind: Dropped, What: "index section", Offset: -1, Text: fmt.Sprintf("the index section of %d bytes that was at byte %d", e.head.Stored, e.pos)})
		return
	}
	text := fmt.Sprintf("chunk %d, which was at byte %d, with %d messages", e.number, e.pos, e.messages)
	if err := w.p.Chunk(e.leaf, &w.chunk); err == nil && len(w.chunk.Messages) > 0 {
		start, end := span(w.chunk.Messages)
		text += fmt.Sprintf(" from %s to %s", stamp(start), stamp(end))
	}
	w.rep.add(Difference{Kind: Dropped, What: "chunk", Chunk: e.number, Offset: -1, Text: text})
}

func span(list []proof.Message) (start, end bagstore.Time) {
	start, end = bagstore.Time(list[0].Time), bagstore.Time(list[0].Time)
	for _, m := range list {
		start, end = min(start, bagstore.Time(m.Time)), max(end, bagstore.Time(m.Time))
	}
	return start, end
}

func (w *whole) swapped(e, g *element) {
	d := Difference{Kind: Swapped, What: "chunk", Chunk: e.number, Offset: g.pos, Text: fmt.Sprintf("chunk %d is at byte %d, and was at byte %d", e.number, g.pos, e.pos)}
	if e.kind == proof.KindSection {
		d.What, d.Text = "index section", fmt.Sprintf("the index section of byte %d is at byte %d", e.pos, g.pos)
	}
	w.rep.add(d)
	if e.kind == proof.KindChunk {
		w.sameContent(e, g)
	}
}
