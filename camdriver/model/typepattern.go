package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// TypePattern matches names of cameras like realsense2_camera's device_type: a regular expression
// that matches anywhere, ignoring case. Go lacks negative lookahead, so TypePattern
// supports it at the end, for the documented "d435(?!i)".
type TypePattern struct {
	re  *regexp.Regexp
	not string // must not follow the match
}

// ParseType parses an expression.
func ParseType(s string) (TypePattern, error) {
	var p TypePattern
	if head, rest, ok := strings.Cut(s, "(?!"); ok && strings.HasSuffix(rest, ")") {
		s, p.not = head, strings.ToLower(strings.TrimSuffix(rest, ")"))
	}
	re, err := regexp.Compile("(?i)" + s)
	if err != nil {
		return p, fmt.Errorf("camera type %q: %w", s, err)
	}
	p.re = re
	return p, nil
}

// Match reports whether a name matches with or without the prefix "Intel ".
func (p TypePattern) Match(name string) bool {
	name = strings.TrimPrefix(name, Intel)
	return p.matchExactly(name) || p.matchExactly(Intel+name)
}

// MatchVariant reports whether the name of a product, or of a model with its product id, matches.
func (p TypePattern) MatchVariant(product Product) bool {
	return slices.ContainsFunc(append(product.Variants(), product), func(v Product) bool { return p.Match(v.Name()) })
}

func (p TypePattern) matchExactly(name string) bool {
	for _, at := range p.re.FindAllStringIndex(name, -1) {
		if p.not == "" || !strings.HasPrefix(strings.ToLower(name[at[1]:]), p.not) {
			return true
		}
	}
	return false
}

// OnlyTracking reports whether an expression for a camera's type matches a tracking camera, which
// has no driver, and no camera that has one.
func OnlyTracking(expression string) bool {
	p, err := ParseType(expression)
	return expression != "" && err == nil && p.Match("RealSense T265") && !slices.ContainsFunc(Products, p.MatchVariant)
}
