package model

import "slices"

// Vendor ids of D400 cameras. Names of cameras by RealSense, the company, lack "Intel".
const (
	VendorIntel     = 0x8086
	VendorRealSense = 0x38e5
)

// USB product ids of the cameras that the virtual one can be, and of those that differ from others in more than the
// table says.
const (
	D430  = 0x0ad4 // no colour and no motion sensors
	D435  = 0x0b07 // no motion sensors
	D435I = 0x0b3a
	D415  = 0x0ad3
	D405  = 0x0b5b
	D421  = 0x1155
	D455  = 0x0b5c
)

// Product is what a camera's descriptors lack.
type Product struct {
	ID          uint16
	Vendor      uint16  // VendorIntel if 0
	Model       string  // "D435I", as the SDK writes it
	Color       bool    // has a separate colour function
	Minimum     Version // to which the SDK lets firmware be set back, and which it has been tried with; zero if none
	Units       float32 // metres per depth unit
	IMUOrigin   [3]float64
	Recovery    bool   // camera is in recovery mode
	DepthColor  bool   // the depth module provides colour: D405
	Colored     bool   // the left imager is in colour
	Alone       bool   // can't be synchronized with other cameras
	Unsupported string // why the driver doesn't open it; empty if it does
}

// RecommendedFirmware is that of SDK 2.56.
const RecommendedFirmware = "5.17.0.10"

// D435IMU is the place of depth in the coordinates of a D435i's inertial sensors, in m.
var D435IMU = [3]float64{-0.00552, 0.0051, 0.01174}

var (
	oldest   = Version{5, 8, 15, 0}
	tracking = "its tracking module has no driver"
)

// Products are the cameras of the line D400 on USB.
var Products = []Product{
	{ID: D415, Model: "D415", Color: true, Colored: true, Units: 0.001, Minimum: oldest},
	{ID: D435, Model: "D435", Color: true, Units: 0.001, Minimum: oldest},
	{ID: D435I, Model: "D435I", Color: true, Units: 0.001, Minimum: Version{5, 12, 7, 100}, IMUOrigin: D435IMU},
	{
		ID: D455, Model: "D455", Color: true, Colored: true, Units: 0.001,
		Minimum: Version{5, 13, 0, 50}, IMUOrigin: [3]float64{-0.03022, 0.0074, 0.01602},
	},
	{ID: D405, Model: "D405", Units: 0.0001, Minimum: Version{5, 12, 11, 8}, DepthColor: true, Colored: true, Alone: true},
	{ID: D430, Model: "D430", Units: 0.001, Minimum: oldest},
	{ID: 0x0b4b, Model: "D430I", Units: 0.001, Minimum: oldest},
	{ID: 0x0ad2, Model: "D410", Colored: true, Units: 0.001, Minimum: oldest},
	{ID: 0x0b03, Model: "D460", Colored: true, Units: 0.001, Minimum: oldest},
	{ID: 0x0ad1, Model: "D400", Colored: true, Units: 0.001, Minimum: oldest},
	{ID: 0x0af6, Model: "D420", Units: 0.001, Minimum: oldest},
	{ID: D421, Model: "D421", Units: 0.001, Minimum: Version{5, 16, 1, 0}, Alone: true},
	{
		ID: 0x1156, Vendor: VendorRealSense, Model: "D436", Color: true, Units: 0.001,
		Minimum: Version{5, 17, 0, 213}, IMUOrigin: D435IMU,
	},
	{ID: 0x0ad6, Model: "USB2", Units: 0.001, Minimum: oldest},
	{ID: 0x0adb, Model: "D4XX Recovery", Recovery: true},
	{ID: 0x0adc, Model: "D4XX USB2 Recovery", Recovery: true},
	{ID: 0x0ad5, Model: "D430 with Tracking Module", Unsupported: tracking},
	{ID: 0x0afe, Model: "D420 with Tracking Module", Unsupported: tracking},
	{ID: 0x0aff, Model: "D410 with Tracking Module", Unsupported: tracking},
	{ID: 0x0b00, Model: "D400 with Tracking Module", Unsupported: tracking},
	{ID: 0x0b01, Model: "D430 with Tracking and RGB Modules", Unsupported: tracking},
	{ID: 0x0af2, Model: "IMU", Unsupported: "it has no depth"},
	{ID: 0x0b0c, Model: "DS5U", Unsupported: "its formats and controls aren't known"},
	{ID: 0x0b49, Model: "F416", Unsupported: "its formats and controls aren't known"},
	{ID: 0x0b52, Model: "F416 with RGB Module", Unsupported: "its formats and controls aren't known"},
}

// HDRFirmware is the first with sub-presets that have ids, among them HDR.
var HDRFirmware = Version{5, 12, 8, 100}

// As returns the product as a camera's description says: some models have the USB product id of another one.
func (p Product) As(g GVD) Product {
	switch {
	case p.ID == D405 && g.Hardware == hardwareD401:
		p.Model, p.Alone = "D401", false
	case p.ID == D455:
		p.Colored = !g.Firmware.Less(HDRFirmware) // which sends the colour of the left imager
		if g.Sealed {
			p.Model = "D456"
		}
	}
	if g.IRFilter && (p.ID == D435 || p.ID == D435I || p.ID == D455) {
		p.Model += "F"
	}
	return p
}

// Variants returns what As may return, without the product itself.
func (p Product) Variants() (list []Product) {
	for _, g := range []GVD{{Hardware: hardwareD401}, {IRFilter: true}, {Sealed: true}, {IRFilter: true, Sealed: true}} {
		if v := p.As(g); v.Model != p.Model &&
			!slices.ContainsFunc(list, func(q Product) bool { return q.Model == v.Model }) {
			list = append(list, v)
		}
	}
	return list
}

// ProductOf returns the product with a USB product id.
func ProductOf(id uint16) (Product, bool) {
	for _, p := range Products {
		if p.ID == id {
			return p, true
		}
	}
	return Product{}, false
}

// Name returns the SDK's name of the device.
func (p Product) Name() string {
	if p.Vendor == VendorRealSense {
		return "RealSense " + p.Model
	}
	return Intel + "RealSense " + p.Model
}

// Intel is the prefix of names that newer SDKs omit.
const Intel = "Intel "
