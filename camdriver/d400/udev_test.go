package d400

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/camdriver/model"
	"rsros/test/need"
)

// TestUdevRules checks that the udev rules have all supported cameras.
func TestUdevRules(t *testing.T) {
	rules, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(UdevRules)))
	need.Must(t, err)
	for _, p := range model.Products {
		if !strings.Contains(string(rules), fmt.Sprintf("%04x", p.ID)) {
			t.Errorf("no rule for %s (%04x)", p.Model, p.ID)
		}
	}
	for _, vendor := range []int{model.VendorIntel, model.VendorRealSense} {
		if !strings.Contains(string(rules), fmt.Sprintf("%04x", vendor)) {
			t.Errorf("no rule for vendor %04x", vendor)
		}
	}
}
