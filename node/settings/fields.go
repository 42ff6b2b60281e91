package settings

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"

	"rsros/bagstore"
)

// Field is a setting and the place of its value.
type Field struct {
	*Setting
	value  reflect.Value
	negate bool // the place holds the opposite
}

// Fields maps names of settings to Setters or pointers to values.
type Fields map[string]any

// Setter is a value that parses its own text.
type Setter struct {
	set    func(text string) error
	isZero func() bool
}

// Parsed returns a Setter of a value that parse reads.
func Parsed[T any](value *T, parse func(string) (T, error)) Setter {
	return Setter{func(text string) error {
		v, err := parse(text)
		if err == nil {
			*value = v
		}
		return err
	}, func() bool { return reflect.ValueOf(value).Elem().IsZero() }}
}

// Key returns a Setter of a map's value. Setting it replaces the map by a changed copy, because the options of several
// cameras are copies of each other, which share their maps; the map may be nil.
func Key[K comparable, V any](values *map[K]V, key K, parse func(string) (V, error)) Setter {
	return Setter{func(text string) error {
		v, err := parse(text)
		if err == nil {
			changed := map[K]V{}
			maps.Copy(changed, *values)
			changed[key] = v
			*values = changed
		}
		return err
	}, func() bool { _, set := (*values)[key]; return !set }}
}

// Switch returns a Setter for a Bool: true sets the field to value, and is an error if the field
// has another value than zero; false resets value to zero.
func Switch[T comparable](field *T, value T) Setter {
	return Parsed(field, func(text string) (T, error) {
		var zero T
		switch on, _ := strconv.ParseBool(text); {
		case on && *field != zero && *field != value:
			return zero, errors.New("contradicts another flag or parameter")
		case on:
			return value, nil
		case *field == value:
			return zero, nil
		}
		return *field, nil
	})
}

// Holder is a part of options that has settings besides its tagged fields.
type Holder interface{ Settings() Fields }

// Fields returns the fields of targets that have a setting in s. A target is Fields or a
// pointer to a struct with fields tagged `setting:"NAME"`, or `setting:"!NAME"` if they hold
// the opposite, also in nested structs; `setting:"NAME,OTHER"` is called differently by two
// commands. The first field of a name counts. [bagstore.Options] have the settings of bags.
func (s Set) Fields(targets ...any) (found []Field) {
	names := map[string]bool{}
	add := func(name string, v reflect.Value) {
		name, negate := strings.CutPrefix(name, "!")
		if setting := s.Find(name); setting != nil && !names[name] {
			names[name] = true
			found = append(found, Field{setting, v, negate})
		}
	}
	for _, target := range targets {
		walk(reflect.ValueOf(target), add)
	}
	return found
}

// bagFields returns the settings of how bags are written.
func bagFields(o *bagstore.Options) Fields {
	return Fields{
		"lz4": Switch(&o.Compression, bagstore.LZ4), "bz2": Switch(&o.Compression, bagstore.BZ2),
		"zstd":         Switch(&o.Compression, bagstore.Zstd),
		"lz4-topics":   Parsed(&o.LZ4Topics, bagstore.MatchWhole),
		"uncompressed": Switch(&o.Compression, bagstore.None),
		"direct":       Switch(&o.Sink, bagstore.Direct), "buffered": Switch(&o.Sink, bagstore.Buffered),
		"chunksize": Parsed(&o.ChunkSize, func(text string) (int, error) {
			n, err := ParseSize(text, 1<<10)
			return int(min(max(n, 1), math.MaxInt32)), err // one byte writes a chunk for each message; 0 is the default
		}),
		"overwrite": &o.Overwrite,
	}
}

// walk visits the fields of v, which is Fields or a pointer.
func walk(v reflect.Value, visit func(name string, v reflect.Value)) {
	if o, ok := v.Interface().(*bagstore.Options); ok {
		walk(reflect.ValueOf(bagFields(o)), visit)
		return
	}
	if holder, ok := v.Interface().(Holder); ok {
		walk(reflect.ValueOf(holder.Settings()), visit)
	}
	if fields, ok := v.Interface().(Fields); ok {
		for name, p := range fields {
			visit(name, reflect.ValueOf(p))
		}
		return
	}
	v = v.Elem()
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if names, ok := f.Tag.Lookup("setting"); ok {
			for name := range strings.SplitSeq(names, ",") {
				visit(name, v.Field(i).Addr())
			}
		} else if f.IsExported() {
			walk(v.Field(i).Addr(), visit)
		}
	}
}

// Set sets the field to the value of text, or appends it to a list.
func (f Field) Set(text string) error {
	if setter, ok := f.value.Interface().(Setter); ok {
		if _, err := f.parse(text); err != nil {
			return err
		}
		return setter.set(text)
	}
	at := f.value.Elem()
	if f.Kind == List {
		for _, one := range bagstore.Expressions(strings.Split(text, ",")) {
			if one = strings.TrimSpace(one); one != "" {
				at.Set(reflect.Append(at, reflect.ValueOf(one)))
			}
		}
		return nil
	}
	v, err := f.parse(text)
	if err != nil {
		return err
	}
	if on, ok := v.(bool); ok && f.negate {
		v = !on
	}
	if at.Kind() == reflect.Slice {
		at.Set(reflect.Append(at, reflect.ValueOf(v)))
		return nil
	}
	if f.Kind == Texts && !at.IsZero() {
		return errors.New("want one text")
	}
	at.Set(reflect.ValueOf(v).Convert(at.Type()))
	return nil
}

// Replace sets the field to the value of texts, which are several for a list only.
func (f Field) Replace(texts []string) error {
	if !f.isSetter() {
		f.value.Elem().SetZero()
	}
	for _, text := range texts {
		if err := f.Set(text); err != nil {
			return err
		}
	}
	return nil
}

func (f Field) isSetter() bool {
	_, ok := f.value.Interface().(Setter)
	return ok
}

func (f Field) isZero() bool {
	if setter, ok := f.value.Interface().(Setter); ok {
		return setter.isZero()
	}
	return f.value.Elem().IsZero()
}

// Fill sets fields of targets from private parameters and marks them in given. It leaves alone
// fields that aren't zero and those in given, except those from a file. r collects the errors.
// Profiles are left out, because their parameters depend on the device.
func (s Set) Fill(r *Reader, given Given, targets ...any) {
	// All are found before the first is set: two settings may have the same field, and the second must not count as set
	// because the first was.
	var open []Field
	for _, f := range s.Fields(targets...) {
		_, set := given[f.Name()]
		if f.Kind != Profile && (!set && f.isZero() || given.By(f.Name(), FromFile)) {
			open = append(open, f)
		}
	}
	for _, f := range open {
		for _, name := range f.Params {
			texts, set := r.read(name, f.Kind)
			if !set {
				continue
			}
			switch {
			case len(texts) > 0:
				given[f.Name()] = Parameter
				if err := f.Replace(texts); err != nil {
					r.wrong[name] = fmt.Errorf("%q: %w", strings.Join(texts, ", "), err)
				}
			case !given.By(f.Name(), FromFile):
				given[f.Name()] = FromDefault
			}
			break
		}
	}
}

// Complete sets unset fields of targets to their defaults, when all parameters are read.
func (s Set) Complete(given Given, targets ...any) {
	for _, f := range s.Fields(targets...) {
		if given[f.Name()] == FromDefault && f.isZero() {
			f.setDefault()
		}
	}
}

// SetDefaults sets fields of targets to their defaults before flags are parsed, except those that a
// parameter may set later.
func (s Set) SetDefaults(targets ...any) {
	for _, f := range s.Fields(targets...) {
		if f.Params == nil {
			f.setDefault()
		}
	}
}

func (f Field) setDefault() {
	if f.Default == "" {
		return
	}
	if err := f.Set(f.Default); err != nil {
		panic(fmt.Sprintf("default of %s: %v", f.Name(), err)) // a test sets all defaults
	}
}
