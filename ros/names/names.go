// Package names checks and resolves the names of topics, services, nodes and message types as the ROS wiki specifies.
// Its functions and the methods of a Resolver may be called from several goroutines.
package names

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error reports a name that can't be used in a ROS graph.
type Error struct {
	Name   string
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("ROS name %q: %s", e.Name, e.Reason) }

// Check returns an *Error unless name is a legal graph resource name.
func Check(name string) error {
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '/':
		case c == '~':
			if i > 0 {
				return &Error{name, "'~' is allowed at the start only"}
			}
		case c >= '0' && c <= '9', c == '_':
			if i == 0 {
				return &Error{name, fmt.Sprintf("starts with %q; a letter, '/' or '~' must come first", c)}
			}
		default:
			return &Error{name, fmt.Sprintf("has %q at offset %d; only letters, digits, '_' and '/' are allowed", c, i)}
		}
	}
	return nil
}

// CheckType returns an *Error unless name is package/Type in printable characters.
func CheckType(name string) error {
	pkg, typ, ok := strings.Cut(name, "/")
	if !ok || pkg == "" || typ == "" || strings.Contains(typ, "/") {
		return &Error{name, "a message type is package/Type"}
	}
	for i, r := range name {
		if _, size := utf8.DecodeRuneInString(name[i:]); r == utf8.RuneError && size == 1 {
			return &Error{name, fmt.Sprintf(
				"a message type with byte 0x%02x at offset %d, which isn't UTF-8, can't be sent to the master", name[i], i)}
		}
		if !unicode.IsPrint(r) || r == ' ' {
			return &Error{name, fmt.Sprintf("a message type with %q at offset %d can't be sent to the master", r, i)}
		}
	}
	return nil
}

// CheckBase is Check for the name of a node, which has no namespace.
func CheckBase(name string) error {
	if name == "" {
		return &Error{name, "a node must have a name"}
	}
	if strings.ContainsAny(name, "/~") {
		return &Error{name, "the name of a node has no '/' and no '~'; use a namespace"}
	}
	return Check(name)
}

// Clean removes doubled and trailing slashes.
func Clean(name string) string { return "/" + strings.Join(Split(name), "/") }

// Split returns the parts of a name; "/" has none.
func Split(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}

// Expand returns the global form of a node's name for something: "/x" is unchanged, "~x" is below
// the node, "x" is in the namespace. The empty name is the namespace itself. Nothing is checked.
func Expand(name, node, namespace string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return Clean(name)
	case strings.HasPrefix(name, "~"):
		return Clean(node + "/" + name[1:])
	}
	return Clean(namespace + "/" + name)
}

// Resolver resolves names for one node. It is immutable.
type Resolver struct {
	Node      string            // the node's full name, "/ns/node"
	Namespace string            // "/" or "/ns"
	remaps    map[string]string // resolved → resolved
}

// New returns the resolver of the node called name. An empty namespace is "/".
func New(name, namespace string, remaps map[string]string) (*Resolver, error) {
	if err := CheckBase(name); err != nil {
		return nil, err
	}
	if err := Check(namespace); err != nil {
		return nil, fmt.Errorf("namespace: %w", err)
	}
	if strings.HasPrefix(namespace, "~") {
		return nil, fmt.Errorf("namespace: %w", &Error{namespace, "can't be private"})
	}
	n := &Resolver{Namespace: Clean("/" + namespace), remaps: make(map[string]string, len(remaps))}
	n.Node = Clean(n.Namespace + "/" + name)
	for from, to := range remaps {
		f, err := n.expand(from)
		if err != nil {
			return nil, fmt.Errorf("remap %s:=%s: %w", from, to, err)
		}
		t, err := n.expand(to)
		if err != nil {
			return nil, fmt.Errorf("remap %s:=%s: %w", from, to, err)
		}
		n.remaps[f] = t
	}
	return n, nil
}

// expand is Expand with checks.
func (n *Resolver) expand(name string) (string, error) {
	if err := Check(name); err != nil {
		return "", err
	}
	return Expand(name, n.Node, n.Namespace), nil
}

// Resolve returns the global name for name, with remaps applied.
func (n *Resolver) Resolve(name string) (string, error) {
	full, err := n.expand(name)
	if err != nil {
		return "", err
	}
	if to, ok := n.remaps[full]; ok {
		return to, nil
	}
	return full, nil
}
