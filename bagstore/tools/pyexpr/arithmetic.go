package pyexpr

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"rsros/msgs"
)

var errZero = errors.New("division by zero")

// arithmetic is + - * / // and %. Numbers stay as exact as in Python.
func arithmetic(op string, a, b any) (any, error) {
	if x, ok := a.(string); ok && op == "+" {
		if y, ok := b.(string); ok {
			return x + y, nil
		}
	}
	if v, ok := timeArithmetic(op, a, b); ok {
		return v, nil
	}
	x, xInt := asInt(a)
	y, yInt := asInt(b)
	if xInt && yInt {
		return integers(op, x, y)
	}
	f, okF := asFloat(a)
	g, okG := asFloat(b)
	if !okF || !okG {
		return nil, fmt.Errorf("%s %s %s isn't understood", kindOf(a), op, kindOf(b))
	}
	return floats(op, f, g)
}

func integers(op string, x, y *big.Int) (any, error) {
	z := new(big.Int)
	switch op {
	case "+":
		return z.Add(x, y), nil
	case "-":
		return z.Sub(x, y), nil
	case "*":
		return z.Mul(x, y), nil
	}
	if y.Sign() == 0 {
		return nil, errZero
	}
	if op == "/" {
		f, _ := new(big.Rat).SetFrac(x, y).Float64()
		return f, nil
	}
	m := new(big.Int)
	z.QuoRem(x, y, m)
	if m.Sign() != 0 && m.Sign() != y.Sign() { // Python rounds down
		z.Sub(z, big.NewInt(1))
		m.Add(m, y)
	}
	if op == "//" {
		return z, nil
	}
	return m, nil
}

func asFloat(v any) (float64, bool) {
	if n, ok := asInt(v); ok {
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	}
	f, ok := v.(float64)
	return f, ok
}

func floats(op string, f, g float64) (any, error) {
	switch op {
	case "+":
		return f + g, nil
	case "-":
		return f - g, nil
	case "*":
		return f * g, nil
	}
	if g == 0 {
		return nil, errZero
	}
	if op == "/" {
		return f / g, nil
	}
	m := math.Mod(f, g)
	if m == 0 {
		m = math.Copysign(0, g)
	} else if (m < 0) != (g < 0) {
		m += g
	}
	if op == "%" {
		return m, nil
	}
	quotient := math.Round((f - m) / g)
	return quotient, nil
}

// timeArithmetic is what genpy's times can do: differences and sums.
func timeArithmetic(op string, a, b any) (any, bool) {
	switch x := a.(type) {
	case msgs.Time:
		switch y := b.(type) {
		case msgs.Time:
			return msgs.Duration(x - y), op == "-"
		case msgs.Duration:
			if op == "+" {
				return x + msgs.Time(y), true
			}
			return x - msgs.Time(y), op == "-"
		}
	case msgs.Duration:
		switch y := b.(type) {
		case msgs.Time:
			return y + msgs.Time(x), op == "+"
		case msgs.Duration:
			if op == "+" {
				return x + y, true
			}
			return x - y, op == "-"
		}
	}
	return nil, false
}

// signed is + or - before a value.
func signed(v any, negate bool) (any, error) {
	if n, ok := asInt(v); ok {
		if negate {
			return new(big.Int).Neg(n), nil
		}
		return n, nil
	}
	sign := map[bool]int64{true: -1, false: 1}[negate]
	switch v := v.(type) {
	case float64:
		return v * float64(sign), nil
	case msgs.Duration:
		return v * msgs.Duration(sign), nil
	}
	return nil, fmt.Errorf("%s has no sign", kindOf(v))
}
