package live

import "errors"

// steps are what ends the parts of something that was started step by step.
type steps []func() error

// later adds a step.
func (s *steps) later(undo func() error) { *s = append(*s, undo) }

// undo takes the steps away after the first so many, from the last on, and calls each.
func (s *steps) undo(keep int) error {
	var errs []error
	for i := len(*s) - 1; i >= keep; i-- {
		undo := (*s)[i]
		*s = (*s)[:i]
		errs = append(errs, undo())
	}
	return errors.Join(errs...)
}
