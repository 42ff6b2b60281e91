//go:build unix

package peer

import (
	"errors"
	"syscall"
)

// groupOfItsOwn starts a program as the leader of a process group.
func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to a program and all that it started. A group that is gone
// needs none.
func (p *Process) signalGroup(s syscall.Signal) error {
	if err := syscall.Kill(-p.cmd.Process.Pid, s); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
