// Shoot films the simulated camera for the virtual one: shoot FOLDER.
package main

import (
	"fmt"
	"os"

	"rsros/test/usbvm/film"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: shoot FOLDER")
		os.Exit(2)
	}
	if err := film.Shoot(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "shoot:", err)
		os.Exit(1)
	}
}
