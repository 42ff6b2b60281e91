package recording

import (
	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/mcap"
)

// MCAPFiles returns the MCAP files that a bag of OpenRaw reads, which may have more than
// messages. They are open as long as the bag is.
func MCAPFiles(b *bagstore.Bag) (files []*mcap.File) {
	r, ok := b.Content().(*raw)
	if !ok {
		return nil
	}
	list := []container.Container{r.Container}
	if j, ok := r.Container.(*joined); ok {
		list = nil
		for _, p := range j.files {
			list = append(list, p.Container)
		}
	}
	for _, c := range list {
		if f, ok := c.(*mcap.File); ok {
			files = append(files, f)
		}
	}
	return files
}
