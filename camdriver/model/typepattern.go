package d400

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rsros/camdriver/model"
)

// typePattern matches names like realsense2_camera's device_type: a regular expression
// that matches anywhere, ignoring case. Go lacks negative lookahead, so typePattern
// supports it at the end, for the documented "d435(?!i)".
type typePattern struct {
	re  *regexp.Regexp
	not string // must not follow the match
}

func parseType(s string) (typePattern, error) {
	var p typePattern
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

// match reports whether a name matches with or without the prefix "Intel ".
func (p typePattern) match(name string) bool {
	name = strings.TrimPrefix(name, model.Intel)
	return p.matchExactly(name) || p.matchExactly(model.Intel+name)
}

// matchVariant reports whether the name of a product, or of a model with its product id, matches.
func (p typePattern) matchVariant(product model.Product) bool {
	return slices.ContainsFunc(append(product.Variants(), product), func(v model.Product) bool { return p.match(v.Name()) })
}

func (p typePattern) matchExactly(name string) bool {
	for _, at := range p.re.FindAllStringIndex(name, -1) {
		if p.not == "" || !strings.HasPrefix(strings.ToLower(name[at[1]:]), p.not) {
			return true
		}
	}
	return false
}

// OnlyTracking reports whether an expression for Selector.Type matches a tracking camera, which
// has no driver, and no camera that has one.
func OnlyTracking(expression string) bool {
	p, err := parseType(expression)
	if expression == "" || err != nil || !p.match("RealSense T265") {
		return false
	}
	for _, known := range model.Products {
		if p.matchVariant(known) {
			return false
		}
	}
	return true
}
