package help

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestWrongArguments checks which argument an error names.
func TestWrongArguments(t *testing.T) {
	for _, c := range []struct {
		use   string
		check cobra.PositionalArgs
		args  []string
		want  string
	}{
		{"filter IN -o OUT [EXPRESSION]", cobra.RangeArgs(1, 2), nil, "IN is missing"},
		{"filter IN -o OUT [EXPRESSION]", cobra.RangeArgs(1, 2), []string{"a", "b", "c"}, `unexpected argument "c"; is it meant as --output c?`},
		{"filter IN OUT", cobra.ExactArgs(2), []string{"a"}, "OUT is missing"},
		{"merge -o OUT BAG…", cobra.MinimumNArgs(1), nil, "BAG is missing"},
		{"view [DEVICE | FILE]", cobra.MaximumNArgs(1), []string{"a", "b"}, `unexpected argument "b"; is it meant as --output b?`},
		{"live", cobra.NoArgs, []string{"sim"}, `unexpected argument "sim"; is it meant as --output sim?`},
		{"cat BAG", cobra.OnlyValidArgs, []string{"a"}, `invalid argument "a" for "cat"`},
	} {
		cmd := &cobra.Command{Use: c.use, ValidArgs: []string{"x"}}
		cmd.Flags().String("output", "", "")
		if got := WrongArguments(cmd, c.args, c.check(cmd, c.args)); got.Error() != c.want {
			t.Errorf("%s %q: %v, want %s", c.use, c.args, got, c.want)
		}
	}
}
