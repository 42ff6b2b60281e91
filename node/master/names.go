package master

import "strings"

// resolve returns the absolute, canonical form of a caller's graph name: "/x" is global, "~x" is
// below the caller, "x" is in the caller's namespace, and "" is that namespace.
func resolve(name, caller string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return canonical(name)
	case strings.HasPrefix(name, "~"):
		return canonical(caller + "/" + name[1:])
	}
	return canonical(namespace(caller) + "/" + name)
}

// namespace returns a name without its last part.
func namespace(name string) string {
	p := split(name)
	return join(p[:max(0, len(p)-1)])
}

func canonical(name string) string { return join(split(name)) }

// path is an absolute name as its parts; the root has none.
type path []string

func split(name string) path {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}

func join(p path) string { return "/" + strings.Join(p, "/") }

// within reports whether name is space or below it.
func within(name, space string) bool {
	rest, ok := strings.CutPrefix(name, space)
	return ok && (rest == "" || rest[0] == '/' || space == "/")
}
