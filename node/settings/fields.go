package settings

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
)

// Field is where the value of a setting is kept.
type Field struct {
	*Setting
	value  reflect.Value
	negate bool // the field says the opposite
}

// Fields are pointers to the values of settings, or Setters, by name: for values that aren't
// tagged fields.
type Fields map[string]any

// Setter is a value with a text of its own.
type Setter interface {
	Set(text string) error
	IsZero() bool
}

type parsed[T any] struct {
	value *T
	parse func(string) (T, error)
}

// Parsed is a value whose text a function reads.
func Parsed[T any](value *T, parse func(string) (T, error)) Setter { return parsed[T]{value, parse} }

func (p parsed[T]) IsZero() bool { return reflect.ValueOf(p.value).Elem().IsZero() }

func (p parsed[T]) Set(text string) error {
	v, err := p.parse(text)
	if err == nil {
		*p.value = v
	}
	return err
}

type key[K comparable, V any] struct {
	values *map[K]V
	of     K
	parse  func(string) (V, error)
}

// Key is the value of a key of a map, which may be nil. Setting it doesn't change the map for
// others that have it.
func Key[K comparable, V any](values *map[K]V, of K, parse func(string) (V, error)) Setter {
	return key[K, V]{values, of, parse}
}

func (k key[K, V]) IsZero() bool {
	_, said := (*k.values)[k.of]
	return !said
}

func (k key[K, V]) Set(text string) error {
	v, err := k.parse(text)
	if err == nil {
		values := map[K]V{}
		maps.Copy(values, *k.values)
		values[k.of], *k.values = v, values
	}
	return err
}

// Switch is a Bool for one of the values that a field may have besides its zero value: true sets
// it, and is refused if the field has another one.
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

// Holder is a part of options that has more settings than its fields with tags.
type Holder interface{ Settings() Fields }

// Fields returns the fields of targets that have a setting of the set. A target is Fields or
// a pointer to a struct: fields tagged `setting:"NAME"`, or `setting:"!NAME"` if they say the
// opposite, also those of structs in it. If several have the same name, the first counts.
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

// walk visits the fields of Fields or of what v points to.
func walk(v reflect.Value, visit func(name string, v reflect.Value)) {
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
		if name, ok := f.Tag.Lookup("setting"); ok {
			visit(name, v.Field(i).Addr())
		} else if f.IsExported() {
			walk(v.Field(i).Addr(), visit)
		}
	}
}

// Set sets the field to what a text says; it appends to a list.
func (f Field) Set(text string) error {
	if setter, ok := f.value.Interface().(Setter); ok {
		if _, err := f.parse(text); err != nil {
			return err
		}
		return setter.Set(text)
	}
	at := f.value.Elem()
	if f.Kind == List {
		at.Set(reflect.AppendSlice(at, reflect.ValueOf(strings.Split(text, ","))))
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

// isZero reports whether nobody has set the field to something else than its zero value.
func (f Field) isZero() bool {
	if setter, ok := f.value.Interface().(Setter); ok {
		return setter.IsZero()
	}
	return f.value.Elem().IsZero()
}

// Fill sets fields of targets from private parameters and marks them in given. Those that a
// flag or an earlier parameter set stay, and so do those of a program that aren't zero. The
// reader has the errors. Profiles are left out: their parameters depend on the device.
func (s Set) Fill(r *Reader, given Given, targets ...any) {
	var open []Field // two settings may have the same field
	for _, f := range s.Fields(targets...) {
		if _, said := given[f.Name()]; !said && f.isZero() && f.Kind != Profile {
			open = append(open, f)
		}
	}
	for _, f := range open {
		for _, name := range f.Params {
			texts, said := r.read(name, f.Kind)
			if !said {
				continue
			}
			given[f.Name()] = Default
			for _, text := range texts {
				given[f.Name()] = Parameter
				if err := f.Set(text); err != nil {
					r.wrong[name] = fmt.Errorf("%q: %w", text, err)
				}
			}
			break
		}
	}
}

// Complete sets fields of targets that nobody has set to their defaults.
func (s Set) Complete(given Given, targets ...any) {
	for _, f := range s.Fields(targets...) {
		if f.Default == "" || given[f.Name()] != Default || !f.isZero() {
			continue
		}
		if err := f.Set(f.Default); err != nil {
			panic(fmt.Sprintf("default of %s: %v", f.Name(), err)) // a test sets them all
		}
	}
}
