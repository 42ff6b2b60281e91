package help

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

var (
	optional = regexp.MustCompile(`\[[^]]*\]`)
	useFlag  = regexp.MustCompile(` -\S+ \S+`) // -o OUT
)

// WrongArguments says which argument is missing or unexpected, by the command's usage line, in place of cobra's counts.
func WrongArguments(cmd *cobra.Command, args []string, err error) error {
	if !strings.HasPrefix(err.Error(), "accepts ") && !strings.HasPrefix(err.Error(), "requires ") &&
		!strings.HasPrefix(err.Error(), "unknown command ") {
		return err
	}
	required := strings.Fields(optional.ReplaceAllString(useFlag.ReplaceAllString(cmd.Use, ""), ""))[1:]
	if len(args) < len(required) {
		return fmt.Errorf("%s is missing", strings.TrimSuffix(required[len(args)], "…"))
	}
	first := args[min(len(required)+len(optional.FindAllString(cmd.Use, -1)), len(args)-1)]
	for _, flag := range []string{"output", "device"} {
		if f := cmd.Flags().Lookup(flag); f != nil && !f.Changed {
			return fmt.Errorf("unexpected argument %q; is it meant as --%s %s?", first, flag, first)
		}
	}
	return fmt.Errorf("unexpected argument %q", first)
}
