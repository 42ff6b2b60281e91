package ros

import (
	"fmt"
	"strings"
)

// NameError says why a graph resource name was refused.
type NameError struct {
	Name   string
	Reason string
}

func (e *NameError) Error() string { return fmt.Sprintf("ROS name %q: %s", e.Name, e.Reason) }

// CheckName reports whether name is a legal graph resource name as the ROS wiki
// defines it: a letter, '/' or '~' first, then letters, digits, '_' and '/'.
func CheckName(name string) error {
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '/':
		case c == '~':
			if i > 0 {
				return &NameError{name, "'~' is allowed at the start only"}
			}
		case c >= '0' && c <= '9', c == '_':
			if i == 0 {
				return &NameError{name, fmt.Sprintf("starts with %q; a letter, '/' or '~' must come first", c)}
			}
		default:
			return &NameError{name, fmt.Sprintf("has %q at offset %d; only letters, digits, '_' and '/' are allowed", c, i)}
		}
	}
	return nil
}

// checkBaseName holds for the name of a node: no namespace in it.
func checkBaseName(name string) error {
	if name == "" {
		return &NameError{name, "a node must have a name"}
	}
	if strings.ContainsAny(name, "/~") {
		return &NameError{name, "the name of a node has no '/' and no '~'; use a namespace"}
	}
	return CheckName(name)
}

// cleanName removes doubled and trailing slashes.
func cleanName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "/") {
		if part != "" {
			b.WriteByte('/')
			b.WriteString(part)
		}
	}
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}

// names resolves names for one node.
type names struct {
	node      string            // full name, "/ns/node"
	namespace string            // "/" or "/ns"
	remaps    map[string]string // resolved → resolved
}

// newNames checks node name, namespace and remaps and prepares them.
func newNames(name, namespace string, remaps map[string]string) (*names, error) {
	if err := checkBaseName(name); err != nil {
		return nil, err
	}
	if err := CheckName(namespace); err != nil {
		return nil, fmt.Errorf("namespace: %w", err)
	}
	if strings.HasPrefix(namespace, "~") {
		return nil, fmt.Errorf("namespace: %w", &NameError{namespace, "can't be private"})
	}
	n := &names{namespace: cleanName("/" + namespace), remaps: make(map[string]string, len(remaps))}
	n.node = cleanName(n.namespace + "/" + name)
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

// expand makes name global: "/x" as it is, "~x" below the node, "x" in the
// namespace. The empty name is the namespace itself.
func (n *names) expand(name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	switch {
	case strings.HasPrefix(name, "/"):
		return cleanName(name), nil
	case strings.HasPrefix(name, "~"):
		return cleanName(n.node + "/" + name[1:]), nil
	}
	return cleanName(n.namespace + "/" + name), nil
}

// resolve is expand followed by the remaps.
func (n *names) resolve(name string) (string, error) {
	full, err := n.expand(name)
	if err != nil {
		return "", err
	}
	if to, ok := n.remaps[full]; ok {
		return to, nil
	}
	return full, nil
}

// LegalName makes any text a legal name: each byte that ROS refuses becomes
// '_', and a first character of a path element that isn't a letter gets a
// letter before it only where ROS asks for one (the start of a relative name).
// Names that are legal come back unchanged.
func LegalName(name string) string {
	b := []byte(name)
	for i, c := range b {
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '/' || c == '~' && i == 0
		if !ok {
			b[i] = '_'
		}
	}
	if len(b) > 0 && (b[0] == '_' || b[0] >= '0' && b[0] <= '9') {
		return "x" + string(b)
	}
	return string(b)
}
