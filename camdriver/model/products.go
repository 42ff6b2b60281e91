package model

// Vendor ids of D400 cameras. Names of cameras by RealSense, the company, lack "Intel".
const (
	VendorIntel     = 0x8086
	VendorRealSense = 0x38e5
)

// USB product ids of the cameras that the virtual one can be.
const (
	D430  = 0x0ad4 // no colour and no motion sensors
	D435  = 0x0b07 // no motion sensors
	D435I = 0x0b3a
)

// Product is what a camera's descriptors lack.
type Product struct {
	ID        uint16
	Vendor    uint16  // VendorIntel if 0
	Model     string  // "D435I", as the SDK writes it
	Color     bool    // has a separate colour function
	Minimum   Version // minimum firmware of the SDK; zero if none
	Units     float32 // metres per depth unit
	IMUOrigin [3]float64
	Recovery  bool // camera is in recovery mode
	Cropped   bool // the depth module provides colour: D405
	Colored   bool // the left imager is in colour
}

// RecommendedFirmware is that of SDK 2.56.
const RecommendedFirmware = "5.17.0.10"

// Products are the supported cameras.
var Products = []Product{
	{ID: 0x0ad3, Model: "D415", Color: true, Colored: true, Units: 0.001},
	{ID: D435, Model: "D435", Color: true, Units: 0.001},
	{
		ID: D435I, Model: "D435I", Color: true, Units: 0.001,
		Minimum: Version{5, 12, 7, 100}, IMUOrigin: [3]float64{-0.00552, 0.0051, 0.01174},
	},
	{
		ID: 0x0b5c, Model: "D455", Color: true, Colored: true, Units: 0.001,
		Minimum: Version{5, 13, 0, 50}, IMUOrigin: [3]float64{-0.03022, 0.0074, 0.01602},
	},
	{ID: 0x0b5b, Model: "D405", Units: 0.0001, Minimum: Version{5, 12, 11, 8}, Cropped: true, Colored: true},
	{ID: D430, Model: "D430", Units: 0.001},
	{ID: 0x0b4b, Model: "D430I", Units: 0.001},
	{ID: 0x0ad2, Model: "D410", Colored: true, Units: 0.001},
	{ID: 0x0ad1, Model: "D400", Colored: true, Units: 0.001},
	{ID: 0x0af6, Model: "D420", Units: 0.001},
	{ID: 0x1155, Model: "D421", Units: 0.001},
	{ID: 0x1156, Vendor: VendorRealSense, Model: "D436", Color: true, Units: 0.001},
	{ID: 0x0ad6, Model: "USB2", Units: 0.001},
	{ID: 0x0adb, Model: "D4XX Recovery", Recovery: true},
	{ID: 0x0adc, Model: "D4XX USB2 Recovery", Recovery: true},
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
