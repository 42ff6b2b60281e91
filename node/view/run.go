package view

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"rsros/node/guard"
)

// RunOptions say what the view command shows, and which viewers it lets in.
type RunOptions struct {
	Options
	Show       string   // a device, a recording, or a folder of recordings; "" shows nothing yet
	Folder     string   // of recordings that viewers may open; "" is that of Show, if it is one
	Listen     string   // address; default 127.0.0.1:0, a free port
	AllowHosts []string // see guard.Options
	Origins    []string // see guard.Options
	NoAuth     bool     // no token, although others than this machine can connect
	Ready      func(url string)
}

// defaultListen is a free port that only this machine reaches.
const defaultListen = "127.0.0.1:0"

// Limits of HTTP: a stranger may be slow, but not for ever.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 16 << 10
)

// Run serves the viewer until ctx ends.
func Run(ctx context.Context, o RunOptions) (err error) {
	if o.Listen == "" {
		o.Listen = defaultListen
	}
	show, file := o.Show, ""
	if st, err := os.Stat(show); err == nil && st.IsDir() {
		o.Folder, show = show, ""
	}
	if o.Folder != "" {
		if o.Library, err = OpenLibrary(o.Folder); err != nil {
			return err
		}
		defer o.Library.Close() //nolint:errcheck // it was only read
		if name, err := filepath.Rel(o.Folder, show); show != "" && err == nil && filepath.IsLocal(name) {
			file = filepath.ToSlash(name)
		}
	}
	s, err := New(o.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if show != "" {
		name := ""
		if isRecording(show) {
			name = filepath.Base(show)
			if file == "" {
				file = name
			}
		}
		if err := s.Show(ctx, show, name, file); err != nil {
			return err
		}
	}
	return serve(ctx, s, &o)
}

// serve listens and serves until ctx ends.
func serve(ctx context.Context, s *Server, o *RunOptions) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("listen for viewers: %w", err)
	}
	who := guard.Options{Hosts: o.AllowHosts, Origins: o.Origins}
	url := "http://" + l.Addr().String() + "/"
	if at := l.Addr().(*net.TCPAddr); !at.IP.IsLoopback() {
		host, _, _ := net.SplitHostPort(o.Listen) // Listen has taken it
		name := host
		if at.IP.IsUnspecified() {
			name, _ = os.Hostname() // empty: the address of this machine has to be allowed by name
		}
		who.Hosts = append(who.Hosts, host, name)
		url = fmt.Sprintf("http://%s/", net.JoinHostPort(name, fmt.Sprint(at.Port)))
		if !o.NoAuth {
			who.Token = guard.NewToken()
			url += "?token=" + who.Token
		}
	}
	server := &http.Server{Handler: guard.Wrap(who, s), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	o.Ready(url)
	select {
	case err = <-served:
		return fmt.Errorf("serve viewers: %w", err)
	case <-ctx.Done():
	}
	err = s.Close() // viewers first: their connections are no longer the HTTP server's
	return errors.Join(err, server.Close(), ignoreClosed(<-served))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
