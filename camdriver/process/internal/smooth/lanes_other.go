//go:build !amd64

package smooth

var fast = false

type sideBySide struct{}

func (*sideBySide) fit(int) {}

func (e *Edges) rowsFast(_ []uint16, _ int, _ *Lanes) int { return 0 }

func (e *Edges) rowsDisparityFast(_ []float32, _ int, _ *Lanes) int { return 0 }

func (e *Edges) columnsFast(_ []uint16, _, _ int) int { return 0 }

func (e *Edges) columnsDisparityFast(_ []float32, _, _ int, _ *Lanes) int { return 0 }

func meanFast(_ []uint16, _ [][]uint16) int { return 0 }

func (t *Fading) disparityFast(_, _, _ []float32, _ []uint8) int { return 0 }
