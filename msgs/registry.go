package msgs

import (
	"crypto/md5"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed definitions/*.txt
var definitions embed.FS

// Type is a message type.
type Type struct {
	Name       string // "sensor_msgs/Image"
	MD5        string
	Definition string // with dependencies
}

// EmptyMD5 is the md5 of a type without fields, which needs no definition.
const EmptyMD5 = "d41d8cd98f00b204e9800998ecf8427e"

// Service is a service type.
type Service struct {
	Name     string // "std_srvs/SetBool"
	MD5      string
	Request  Type // Name + "Request"
	Response Type
}

// Lookup returns a known type.
func Lookup(name string) (Type, bool) {
	t, ok := known().types[name]
	return t, ok
}

// MustType is Lookup for constant names. It panics if the type is unknown.
func MustType(name string) Type { return must(name, known().types) }

// LookupService returns a known service.
func LookupService(name string) (Service, bool) {
	s, ok := known().services[name]
	return s, ok
}

// MustService is LookupService for constant names. It panics if the service is unknown.
func MustService(name string) Service { return must(name, known().services) }

func must[T any](name string, all map[string]T) T {
	v, ok := all[name]
	if !ok {
		panic(fmt.Sprintf("msgs: no %T %s", v, name))
	}
	return v
}

// Types returns the names of all known types, unordered.
func Types() []string { return slices.Collect(maps.Keys(known().types)) }

type registry struct {
	types    map[string]Type
	services map[string]Service
}

// known parses the embedded definitions once. It panics if they are invalid.
var known = sync.OnceValue(func() *registry {
	r, err := loadRegistry()
	if err != nil {
		panic("msgs: " + err.Error())
	}
	return r
})

// ReadDefinitions reads definitions/PACKAGE.txt of a file system. Each definition follows a
// line "== msg Name" or "== srv Name".
func ReadDefinitions(files embed.FS) (messages, services Definitions, err error) {
	messages, services = make(Definitions), make(Definitions)
	list, err := files.ReadDir("definitions")
	if err != nil {
		return nil, nil, err
	}
	for _, f := range list {
		text, err := files.ReadFile("definitions/" + f.Name())
		if err != nil {
			return nil, nil, err
		}
		pkg := strings.TrimSuffix(path.Base(f.Name()), ".txt")
		for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
			title, body, _ := strings.Cut(part, "\n")
			kind, name, _ := strings.Cut(title, " ")
			if kind == "msg" {
				messages[pkg+"/"+name] = strings.TrimRight(body, "\n")
			} else {
				services[pkg+"/"+name] = body
			}
		}
	}
	return messages, services, nil
}

func loadRegistry() (*registry, error) {
	texts, services, err := ReadDefinitions(definitions)
	if err != nil {
		return nil, err
	}
	r := &registry{types: make(map[string]Type), services: make(map[string]Service)}
	p := parser{text: texts.Text, specs: make(map[string]*Spec)}
	for name, text := range texts {
		if p.specs[name] == nil {
			if _, err := p.parse(name, text, 0); err != nil {
				return nil, err
			}
		}
		r.types[name] = p.specs[name].typ()
	}
	for name, text := range services {
		request, response, ok := strings.Cut("\n"+text, "\n---")
		if !ok {
			return nil, fmt.Errorf("service %s: no ---", name)
		}
		req, err := p.parse(name+"Request", strings.Trim(request, "\n"), 0)
		if err != nil {
			return nil, err
		}
		res, err := p.parse(name+"Response", strings.Trim(response, "\n"), 0)
		if err != nil {
			return nil, err
		}
		sum := md5.Sum([]byte(req.md5Text() + res.md5Text()))
		r.services[name] = Service{Name: name, MD5: hex.EncodeToString(sum[:]), Request: req.typ(), Response: res.typ()}
	}
	return r, nil
}

func (s *Spec) typ() Type { return Type{Name: s.Name, MD5: s.md5, Definition: s.FullText()} }
