package naming

import (
	"fmt"
	"testing"

	"rsros/camdriver"
)

func TestOptionKinds(t *testing.T) {
	for want, o := range map[string]camdriver.Option{
		"bool":    {Max: 1, Step: 1},
		"int":     {Min: -64, Max: 64, Step: 1},
		"float64": {Max: 1, Step: 0.1},
	} {
		if got := fmt.Sprintf("%T", optionParameter(o).Default); got != want {
			t.Errorf("%+v is a %s, want %s", o, got, want)
		}
	}
}
