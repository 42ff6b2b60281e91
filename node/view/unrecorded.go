package view

import (
	"errors"

	"rsros/node/view/wire"
)

// unrecorded is the part of a stage that viewers can't record.
type unrecorded struct{}

var (
	errUnrecorded = errors.New("this can't be recorded here")
	errNoOptions  = errors.New("topics have no options")
)

func (unrecorded) recording() *wire.Record                      { return nil }
func (unrecorded) startRecording(*wire.Request) (string, error) { return "", errUnrecorded }
func (unrecorded) stopRecording() (map[string]any, error)       { return nil, errUnrecorded }
func (unrecorded) pauseRecording(bool) error                    { return errUnrecorded }
func (unrecorded) splitRecording() error                        { return errUnrecorded }
