package keys

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Command is what a key does.
type Command struct {
	Do   func()
	Cuts string      // what Do ends or cuts, such as "end the recording"; "" if it is harmless
	If   func() bool // whether Do would cut it now; nil: always
}

// Commands executes the commands of keys. One that ends or cuts something is executed when its key is pressed a second
// time, with no other key in between: a letter of a word that was meant for a shell has no effect.
type Commands struct {
	keys map[string]Command

	mu      sync.Mutex
	pending string    // the key that was pressed once
	since   time.Time // when
}

// The second press comes later than the second of two equal letters in a word, so that the user has read what it will
// do, and before that is forgotten.
const (
	readsIn   = 300 * time.Millisecond
	forgetsIn = 5 * time.Second
)

// NewCommands returns the commands of keys.
func NewCommands(keys map[string]Command) *Commands { return &Commands{keys: keys} }

// Press executes the command of a key, or asks whether to.
func (c *Commands) Press(key string) {
	command := c.keys[key]
	asks := command.Cuts != "" && (command.If == nil || command.If())
	if c.confirmed(key, asks) && command.Do != nil {
		command.Do()
	}
}

func (c *Commands) confirmed(key string, asks bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	passed := time.Since(c.since)
	again := asks && key == c.pending && passed < forgetsIn
	switch {
	case again && passed < readsIn:
		return false
	case asks && !again:
		c.pending, c.since = key, time.Now()
		return false
	}
	c.pending = ""
	return true
}

// Question says what a second press of the key that was pressed would do; "" if there is none.
func (c *Commands) Question() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == "" || time.Since(c.since) >= forgetsIn {
		return ""
	}
	return fmt.Sprintf("press %s again to %s", strings.ReplaceAll(c.pending, " ", "space"), c.keys[c.pending].Cuts)
}
