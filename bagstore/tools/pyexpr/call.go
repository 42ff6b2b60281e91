package pyexpr

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"rsros/msgs"
)

// function is one that needs nothing but its arguments.
type function struct {
	least, most int // arguments
	call        func(args []any) (any, error)
}

const many = 100

var functions = map[string]function{
	"len":   {1, 1, length},
	"abs":   {1, 1, absolute},
	"min":   {1, many, func(args []any) (any, error) { return extreme("<", args) }},
	"max":   {1, many, func(args []any) (any, error) { return extreme(">", args) }},
	"int":   {1, 1, toInt},
	"float": {1, 1, toFloat},
	"str":   {1, 1, func(args []any) (any, error) { return str(args[0]) }},
	"bool":  {1, 1, func(args []any) (any, error) { return truth(args[0]), nil }},
}

func length(args []any) (any, error) {
	switch v := args[0].(type) {
	case string:
		return integer(int64(len([]rune(v)))), nil
	case []any:
		return integer(int64(len(v))), nil
	case msgs.Value:
		if v.IsArray() {
			return integer(int64(v.Len())), nil
		}
	}
	return nil, fmt.Errorf("%s has no length", kindOf(args[0]))
}

func absolute(args []any) (any, error) {
	if n, ok := asInt(args[0]); ok {
		return new(big.Int).Abs(n), nil
	}
	switch v := args[0].(type) {
	case float64:
		return math.Abs(v), nil
	case msgs.Duration:
		return max(v, -v), nil
	}
	return nil, fmt.Errorf("%s has no absolute value", kindOf(args[0]))
}

// extreme is the least or greatest argument, or element of the only argument.
func extreme(op string, args []any) (best any, err error) {
	var of any = args
	if len(args) == 1 {
		of = args[0]
	}
	found := false
	walkErr := elements(of, func(v any) bool {
		better := !found
		if found {
			better, err = compare(op, v, best)
		}
		if found = true; better {
			best = v
		}
		return err == nil
	})
	if walkErr == nil && err == nil && !found {
		err = errors.New("nothing to compare")
	}
	return best, errors.Join(walkErr, err)
}

func toInt(args []any) (any, error) {
	if n, ok := asInt(args[0]); ok {
		return n, nil
	}
	switch v := args[0].(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is no whole number", v)
		}
		n, _ := big.NewFloat(v).Int(nil)
		return n, nil
	case string:
		if n, ok := new(big.Int).SetString(strings.TrimSpace(v), 10); ok && len(v) < 4300 {
			return n, nil
		}
	}
	return nil, fmt.Errorf("%s is no whole number", kindOf(args[0]))
}

func toFloat(args []any) (any, error) {
	if f, ok := asFloat(args[0]); ok {
		return f, nil
	}
	if s, ok := args[0].(string); ok {
		if f, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s is no number", kindOf(args[0]))
}

// method is called on a value.
type method struct {
	least, most int // arguments
	call        func(on any, args []any) (any, error)
}

var methods = map[string]method{
	"startswith": affix(strings.HasPrefix),
	"endswith":   affix(strings.HasSuffix),
	"lower":      ofText(strings.ToLower),
	"upper":      ofText(strings.ToUpper),
	"strip":      ofText(strings.TrimSpace),
	"find":       {1, 1, find},
	"count":      {1, 1, count},
	"to_sec":     ofTime(func(ns int64, sec, nsec float64) any { return sec + nsec/1e9 }),
	"to_nsec":    ofTime(func(ns int64, sec, nsec float64) any { return integer(ns) }),
	"to_time":    ofTime(func(ns int64, sec, nsec float64) any { return sec + nsec/1e9 }),
	"is_zero":    ofTime(func(ns int64, sec, nsec float64) any { return ns == 0 }),
}

// affix is startswith or endswith, of a string or of one of several.
func affix(holds func(s, affix string) bool) method {
	return method{1, 1, func(on any, args []any) (any, error) {
		s, ok := on.(string)
		list, isList := args[0].([]any)
		if !isList {
			list = args
		}
		if !ok {
			return nil, fmt.Errorf("%s is no string", kindOf(on))
		}
		for _, a := range list {
			text, ok := a.(string)
			if !ok {
				return nil, fmt.Errorf("%s is no string", kindOf(a))
			}
			if holds(s, text) {
				return true, nil
			}
		}
		return false, nil
	}}
}

func ofText(f func(string) string) method {
	return method{0, 0, func(on any, _ []any) (any, error) {
		s, ok := on.(string)
		if !ok {
			return nil, fmt.Errorf("%s is no string", kindOf(on))
		}
		return f(s), nil
	}}
}

func twoTexts(on any, args []any) (s, part string, err error) {
	s, ok := on.(string)
	part, ok2 := args[0].(string)
	if !ok || !ok2 {
		err = fmt.Errorf("%s and %s: want strings", kindOf(on), kindOf(args[0]))
	}
	return s, part, err
}

func find(on any, args []any) (any, error) {
	s, part, err := twoTexts(on, args)
	if at := strings.Index(s, part); at >= 0 {
		return integer(int64(len([]rune(s[:at])))), err
	}
	return integer(-1), err
}

func count(on any, args []any) (any, error) {
	s, part, err := twoTexts(on, args)
	return integer(int64(strings.Count(s, part))), err
}

func ofTime(f func(ns int64, sec, nsec float64) any) method {
	return method{0, 0, func(on any, _ []any) (any, error) {
		switch t := on.(type) {
		case msgs.Time:
			return f(int64(t), float64(t.Sec()), float64(t.Nsec())), nil
		case msgs.Duration:
			return f(int64(t), float64(t.Sec()), float64(t.Nsec())), nil
		}
		return nil, fmt.Errorf("%s is no time", kindOf(on))
	}}
}
