package peer

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// groupOfItsOwn starts a program as the leader of a process group, to which console
// events can be sent.
func groupOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// signalGroup ends a program: with Ctrl-Break, which a Go program sees as os.Interrupt,
// or at once. A program that has ended needs none.
func (p *Process) signalGroup(s syscall.Signal) error {
	if s == syscall.SIGINT {
		return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.cmd.Process.Pid))
	}
	if err := p.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
