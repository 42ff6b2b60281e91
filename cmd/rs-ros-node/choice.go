package main

import "fmt"

// choiceFlag is a flag whose value is one of a few words that parse accepts.
type choiceFlag[T ~string] struct {
	value *T
	parse func(string) (T, error)
}

func choice[T ~string](value *T, parse func(string) (T, error)) choiceFlag[T] {
	return choiceFlag[T]{value, parse}
}

func (c choiceFlag[T]) String() string {
	if c.value == nil {
		return ""
	}
	return fmt.Sprint(*c.value)
}

func (c choiceFlag[T]) Set(s string) error {
	v, err := c.parse(s)
	if err == nil {
		*c.value = v
	}
	return err
}

func (c choiceFlag[T]) Type() string { return "word" }

// parsedFlag is a flag whose text parse reads, for values that have no text of
// their own to show as a default.
type parsedFlag[T any] struct {
	value *T
	parse func(string) (T, error)
}

func parsed[T any](value *T, parse func(string) (T, error)) parsedFlag[T] {
	return parsedFlag[T]{value, parse}
}

func (parsedFlag[T]) String() string { return "" }

func (p parsedFlag[T]) Set(s string) error {
	v, err := p.parse(s)
	if err == nil {
		*p.value = v
	}
	return err
}

func (parsedFlag[T]) Type() string { return "string" }
