package d400

import (
	"fmt"
	"regexp"
	"strings"

	"rsros/camdriver/model"
)

// Vendor ids of D400 cameras. Names of cameras by RealSense, the company, lack "Intel".
const (
	vendorIntel     = 0x8086
	vendorRealSense = 0x38e5
)

// product is what a camera's descriptors lack.
type product struct {
	id        uint16
	vendor    uint16        // vendorIntel if 0
	model     string        // "D435I", as the SDK writes it
	color     bool          // has a separate colour function
	minimum   model.Version // minimum firmware of the SDK; zero if none
	units     float32       // metres per depth unit
	imuOrigin [3]float64
	recovery  bool // camera is in recovery mode
	cropped   bool // the depth module provides colour: D405
	colored   bool // the left imager is in colour
}

// recommendedFirmware is that of SDK 2.56.
const recommendedFirmware = "5.17.0.10"

// products lists the supported cameras.
var products = []product{
	{id: 0x0ad3, model: "D415", color: true, colored: true, units: 0.001},
	{id: 0x0b07, model: "D435", color: true, units: 0.001},
	{
		id: 0x0b3a, model: "D435I", color: true, units: 0.001,
		minimum: model.Version{5, 12, 7, 100}, imuOrigin: [3]float64{-0.00552, 0.0051, 0.01174},
	},
	{
		id: 0x0b5c, model: "D455", color: true, colored: true, units: 0.001,
		minimum: model.Version{5, 13, 0, 50}, imuOrigin: [3]float64{-0.03022, 0.0074, 0.01602},
	},
	{id: 0x0b5b, model: "D405", units: 0.0001, minimum: model.Version{5, 12, 11, 8}, cropped: true, colored: true},
	{id: 0x0ad4, model: "D430", units: 0.001},
	{id: 0x0b4b, model: "D430I", units: 0.001},
	{id: 0x0ad2, model: "D410", colored: true, units: 0.001},
	{id: 0x0ad1, model: "D400", colored: true, units: 0.001},
	{id: 0x0af6, model: "D420", units: 0.001},
	{id: 0x1155, model: "D421", units: 0.001},
	{id: 0x1156, vendor: vendorRealSense, model: "D436", color: true, units: 0.001},
	{id: 0x0ad6, model: "USB2", units: 0.001},
	{id: 0x0adb, model: "D4XX Recovery", recovery: true},
	{id: 0x0adc, model: "D4XX USB2 Recovery", recovery: true},
}

func productOf(id uint16) (product, bool) {
	for _, p := range products {
		if p.id == id {
			return p, true
		}
	}
	return product{}, false
}

// name returns the SDK's name of the device.
func (p product) name() string {
	if p.vendor == vendorRealSense {
		return "RealSense " + p.model
	}
	return intel + "RealSense " + p.model
}

// intel is the prefix that newer SDKs omit.
const intel = "Intel "

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
	name = strings.TrimPrefix(name, intel)
	return p.matchExactly(name) || p.matchExactly(intel+name)
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
	for _, known := range products {
		if p.match(known.name()) {
			return false
		}
	}
	return true
}
