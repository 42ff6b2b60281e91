package replay

import (
	"fmt"
	"slices"
	"sync"

	"github.com/rs/zerolog"
)

// problems lists what couldn't be played. Each entry is logged once, as a warning.
type problems struct {
	log  zerolog.Logger
	mu   sync.Mutex
	list []string
}

// maxProblems is the limit of the list.
const maxProblems = 100

func (p *problems) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) < maxProblems && !slices.Contains(p.list, text) {
		p.list = append(p.list, text)
		p.log.Warn().Msg(text)
	}
}

func (p *problems) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}
