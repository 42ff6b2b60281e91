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
