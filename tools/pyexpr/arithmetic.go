package pyexpr

import (
	"math"
	"math/big"

	"rsros/msgs"
)

// arithmetic computes + - * / // % and **. Numbers are as exact as in Python.
func (f *frame) arithmetic(op string, a, b any) any {
	if s, ok := a.(string); ok && op == "%" {
		return f.percent(s, b)
	} else if _, isText := b.(string); ok && isText && op == "+" {
		return f.joined("", []any{a, b})
	}
	if v, ok := timeArithmetic(op, plain(a), plain(b)); ok {
		return v
	}
	if x, y, ok := small(a, b); ok {
		switch op {
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		}
	}
	if x, ok := asInt(a); ok {
		if y, ok := asInt(b); ok {
			f.work((x.BitLen() + y.BitLen()) / 64)
			return integers(op, x, y)
		}
	}
	if !isNumber(a) || !isNumber(b) {
		fail("%s %s %s is not supported", kindOf(a), op, kindOf(b))
	}
	return floats(op, asFloat(a), asFloat(b))
}

func small(a, b any) (x, y int64, ok bool) {
	x, ok = a.(int64)
	y, ok2 := b.(int64)
	return x, y, ok && ok2 && x == int64(int32(x)) && y == int64(int32(y))
}

// asInt returns an integer or a truth value as an integer.
func asInt(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case int64:
		return big.NewInt(v), true
	case *big.Int:
		return v, true
	}
	return nil, false
}

func integer(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	if n.BitLen() > maxBits {
		fail("a number has more than %d digits", maxDigits)
	}
	return n
}

func integers(op string, x, y *big.Int) any {
	z := new(big.Int)
	switch op {
	case "+":
		return integer(z.Add(x, y))
	case "-":
		return integer(z.Sub(x, y))
	case "*":
		return integer(z.Mul(x, y))
	case "**":
		if y.Sign() < 0 {
			return floats(op, asFloat(x), asFloat(y))
		}
		if x.BitLen() > 1 && (!y.IsInt64() || y.Int64() > maxBits/int64(x.BitLen()-1)) {
			fail("a number has more than %d digits", maxDigits)
		}
		if x.BitLen() <= 1 && y.Sign() > 0 { // for 0, 1 and -1 it only matters whether y is odd
			y = big.NewInt(2 - int64(y.Bit(0)))
		}
		return integer(z.Exp(x, y, nil))
	}
	if y.Sign() == 0 {
		fail("division by zero")
	}
	if op == "/" {
		f, _ := new(big.Rat).SetFrac(x, y).Float64()
		return finite(f)
	}
	m := new(big.Int)
	z.QuoRem(x, y, m)
	if m.Sign() != 0 && m.Sign() != y.Sign() { // Python rounds down
		z.Sub(z, big.NewInt(1))
		m.Add(m, y)
	}
	if op == "//" {
		return integer(z)
	}
	return integer(m)
}

// finite fails for an infinity, as Python does where a number is too large.
func finite(f float64) float64 {
	if math.IsInf(f, 0) {
		fail("a number is too large")
	}
	return f
}

func asFloat(v any) float64 {
	if n, ok := asInt(v); ok {
		f, _ := new(big.Float).SetInt(n).Float64()
		return finite(f)
	}
	return v.(float64)
}

func floats(op string, f, g float64) any {
	switch op {
	case "+":
		return f + g
	case "-":
		return f - g
	case "*":
		return f * g
	case "**":
		return power(f, g)
	}
	if g == 0 {
		fail("division by zero")
	}
	if op == "/" {
		return f / g
	}
	m := math.Mod(f, g)
	if m == 0 {
		m = math.Copysign(0, g)
	} else if (m < 0) != (g < 0) {
		m += g
	}
	if op == "%" {
		return m
	}
	return math.Round((f - m) / g)
}

func power(f, g float64) float64 {
	z := math.Pow(f, g)
	switch {
	case f == 0 && g < 0:
		fail("division by zero")
	case math.IsNaN(z) && !math.IsNaN(f) && !math.IsNaN(g):
		fail("%v ** %v is not a real number", f, g)
	case !math.IsInf(f, 0) && !math.IsInf(g, 0):
		return finite(z)
	}
	return z
}

func timeArithmetic(op string, a, b any) (any, bool) {
	x, _, _, ok := timeOf(a)
	y, _, _, ok2 := timeOf(b)
	if !ok || !ok2 || op != "+" && op != "-" {
		return nil, false
	}
	if op == "-" {
		y = -y
	}
	_, aTime := a.(msgs.Time)
	_, bTime := b.(msgs.Time)
	switch {
	case aTime && bTime:
		return msgs.Duration(x + y), op == "-"
	case aTime || bTime:
		return msgs.Time(x + y), aTime || op == "+"
	}
	return msgs.Duration(x + y), true
}

func (f *frame) signed(op string, v any) any {
	sign := int64(1)
	if op == "-" {
		sign = -1
	}
	if d, ok := v.(msgs.Duration); ok {
		return d * msgs.Duration(sign)
	}
	if !isNumber(v) {
		fail("%s has no sign", kindOf(v))
	}
	return f.arithmetic("*", sign, v)
}
