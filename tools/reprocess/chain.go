package reprocess

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"rsros/camdriver/process"
)

// NewChain creates the blocks of a chain.
type NewChain func(*process.Resources) (process.Chain, error)

// ParseChain returns what creates the blocks that filters names, with the options of set, FILTER.OPTION=VALUE.
func ParseChain(filters, set []string) (NewChain, error) {
	if len(filters) == 0 {
		return nil, errors.New("there are no --filters")
	}
	create := func(res *process.Resources) (process.Chain, error) { return newChain(res, filters, set) }
	res := process.NewResources(0, 1)
	defer res.Close()
	_, err := create(res)
	return create, err
}

func newChain(res *process.Resources, filters, set []string) (process.Chain, error) {
	var chain process.Chain
	byName := make(map[string]process.Block)
	names, err := process.ParseNames(strings.Join(filters, ","), process.BlockNames())
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == "pointcloud" {
			return nil, errors.New("the output of pointcloud can't be recorded; export --ply writes points")
		}
		b := process.New(res, name)
		chain, byName[name] = append(chain, b), b
	}
	for _, setting := range set {
		key, text, _ := strings.Cut(setting, "=")
		name, option, _ := strings.Cut(key, ".")
		value, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return nil, fmt.Errorf("--set %q: want FILTER.OPTION=VALUE with a number", setting)
		}
		b := byName[name]
		if b == nil {
			return nil, fmt.Errorf("--set %q: %q is not among the filters", setting, name)
		}
		if err := process.SetOption(b, option, float32(value)); err != nil {
			return nil, fmt.Errorf("--set %q: %w", setting, err)
		}
	}
	return chain, nil
}
