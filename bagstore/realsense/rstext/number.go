package rstext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number formats v with six decimals, or with as many as are needed to keep the value.
func Number(v float64) string { return number(v, 64) }

// Single is Number for a value of single precision.
func Single(v float32) string { return number(float64(v), 32) }

func number(v float64, bits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0.000000" // readers accept only digits
	}
	six := strconv.FormatFloat(v, 'f', 6, 64)
	if same, err := strconv.ParseFloat(six, bits); err == nil && same == v {
		return six
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

// ParseSingle parses a number of single precision.
func ParseSingle(s string) (float32, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 32)
	return float32(v), finite(v, s, err)
}

// ParseNumber parses a number.
func ParseNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return v, finite(v, s, err)
}

func finite(v float64, s string, err error) error {
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("number %.40q: want decimal digits", s)
	}
	return nil
}

// sdkDigits is the maximum number of digits in calibrations of the SDK, which have single
// precision. Numbers with more digits have double precision.
const sdkDigits = 9

func writeIntrinsic(v float64) string {
	s := Number(v)
	if n := digits(s); float64(float32(v)) != v && n <= sdkDigits {
		s += strings.Repeat("0", sdkDigits+1-n)
	}
	return s
}

func intrinsic(s string) (float64, error) {
	v, err := ParseNumber(s)
	if digits(s) <= sdkDigits {
		v = float64(float32(v))
	}
	return v, err
}

// digits counts the significant digits of a number's text.
func digits(s string) int {
	s, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(s)), "e")
	s = strings.TrimLeft(s, "+-0.")
	return len(s) - strings.Count(s, ".")
}

// numbers parses at least least numbers, separated by commas, into out, and ignores what doesn't fit.
func numbers(s string, least int, out []float64, parse func(string) (float64, error)) error {
	n := 0
	for part := range strings.SplitSeq(s, ",") {
		if n == len(out) {
			break
		}
		v, err := parse(part)
		if err != nil {
			return err
		}
		out[n] = v
		n++
	}
	if n < least {
		return fmt.Errorf("%d numbers: want %d", n, least)
	}
	return nil
}

func writeNumbers[F float32 | float64](list []F, write func(F) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = write(v)
	}
	return strings.Join(parts, ",")
}
