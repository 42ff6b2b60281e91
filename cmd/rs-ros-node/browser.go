package main

import (
	"os"
	"os/exec"
	"runtime"
)

// openBrowser opens url in the user's browser, if there is one.
func openBrowser(url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	case "linux":
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		exec.Command(path, args...).Start() //nolint:errcheck // the address is printed
	}
}
