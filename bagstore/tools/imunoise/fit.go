package imunoise

import "math"

// The model of IEEE 952, annex C, for the Allan variance at a cluster time t, of those kinds of noise
// that Kalibr and others know:
//
//	N²/t + B²·2·ln 2/π + K²·t/3
//
// with the angle or velocity random walk N (white noise), the bias instability B and the rate or
// acceleration random walk K.
const kinds = 3 // N², B², K²

// Estimate is a value with its standard error. The zero Estimate is none.
type Estimate struct {
	Value float64 `json:"value"`
	Error float64 `json:"standard_error"`
}

const (
	// fastest is the shortest cluster that is fitted, in samples: filters of sensors show in shorter ones.
	fastest = 8
	// certain is the largest standard error, as a part of the value, of an estimate.
	certain = 0.2
)

// fit fits the model to the mean of axes, and returns N and K. step is the length of a slot.
func fit(curve []variance, step float64, axes ...int) (density, walk Estimate) {
	var rows []row
	for _, v := range curve {
		if v.slots < fastest {
			continue
		}
		t := v.slots * step
		const most = 5000 // clusters: the model is no better than one or two per cent
		clusters := min(v.clusters, most) * float64(len(axes))
		rows = append(rows, row{terms: [kinds]float64{v.excess / t, 2 * math.Ln2 / math.Pi, t / 3}, value: v.mean(axes), weight: clusters / 2})
	}
	x, errs := solve(rows, [kinds]bool{true, false, true})
	if with, e := solve(rows, [kinds]bool{true, true, true}); with[1] > 12*e[1] {
		x, errs = with, e
	}
	// Points of a curve aren't independent. In simulations, errors are larger by these factors.
	return root(x[0], 1.8*errs[0]), root(x[2], 4*errs[2])
}

// root returns the estimate of a square's root, if it is certain.
func root(square, err float64) Estimate {
	e := Estimate{math.Sqrt(square), err / 2 / math.Sqrt(square)}
	if !(square > 0 && e.Error <= certain*e.Value) {
		return Estimate{}
	}
	return e
}

// row is an equation: the sum of terms, each times its unknown, is value.
type row struct {
	terms  [kinds]float64
	value  float64
	weight float64 // of the relative error's square
}

// solve returns the unknowns of least relative squares that aren't negative, and their standard errors.
// Unknowns that aren't used are 0.
func solve(rows []row, use [kinds]bool) (x, errs [kinds]float64) {
	model := make([]float64, len(rows))
	for i, r := range rows {
		model[i] = r.value
	}
	for range 20 { // weights are those of the model, which the next turn knows better
		var a [kinds][kinds + 1]float64
		for i, r := range rows {
			w := r.weight / (model[i] * model[i])
			for j := range kinds {
				for k := range kinds {
					a[j][k] += w * r.terms[j] * r.terms[k]
				}
				a[j][kinds] += w * r.terms[j] * r.value
			}
		}
		var least int
		for again := true; again; {
			x, errs = invert(a, use)
			again, least = false, 0
			for j := range kinds {
				if use[j] && x[j] <= x[least] && x[j] <= 0 {
					least, again = j, true
				}
			}
			if again {
				use[least] = false
			}
		}
		for i, r := range rows {
			model[i] = x[0]*r.terms[0] + x[1]*r.terms[1] + x[2]*r.terms[2]
		}
	}
	return x, errs
}

// invert solves normal equations for the unknowns that are used.
func invert(a [kinds][kinds + 1]float64, use [kinds]bool) (x, errs [kinds]float64) {
	var m [kinds][2*kinds + 1]float64 // equations, right sides, unit matrix
	for j := range kinds {
		for k := range kinds {
			if use[j] && use[k] {
				m[j][k] = a[j][k]
			}
		}
		if use[j] {
			m[j][kinds] = a[j][kinds]
		} else {
			m[j][j] = 1
		}
		m[j][kinds+1+j] = 1
	}
	for j := range kinds { // the matrix is positive definite
		p := m[j][j]
		for k := range m[j] {
			m[j][k] /= p
		}
		for i := range kinds {
			if f := m[i][j]; i != j {
				for k := range m[i] {
					m[i][k] -= f * m[j][k]
				}
			}
		}
	}
	for j := range kinds {
		if use[j] {
			x[j], errs[j] = m[j][kinds], math.Sqrt(m[j][kinds+1+j])
		}
	}
	return x, errs
}
