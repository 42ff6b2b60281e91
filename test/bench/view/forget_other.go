//go:build !linux

package main

import "errors"

func forget(string) error { return errors.New("-cold: this system doesn't drop a file from its cache") }
