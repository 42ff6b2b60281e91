//go:build slurm && linux

package slurm

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// cluster is a Slurm cluster of one node with two processors.
type cluster struct {
	t    *testing.T
	dir  string
	node string
}

func start(t *testing.T) *cluster {
	t.Helper()
	need.Programs(t, "munged", "mungekey", "slurmctld", "slurmd", "sbatch")
	host, err := os.Hostname()
	need.Must(t, err)
	host, _, _ = strings.Cut(host, ".")
	c := &cluster{t, t.TempDir(), host}
	for dir := c.dir; dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		if dir != os.TempDir() {
			_ = os.Chmod(dir, 0o755) // munged refuses a folder that others may write
		}
	}
	for _, name := range []string{"state", "spool"} {
		need.Must(t, os.Mkdir(filepath.Join(c.dir, name), 0o755))
	}
	in := func(name string) string { return filepath.Join(c.dir, name) }
	socket := in("munge.socket")
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
AuthType=auth/munge
AuthInfo=socket=%[5]s,cred_expire=5
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,requeue_setup_env_fail
ReturnToService=2
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=p Nodes=%[1]s Default=YES State=UP
`, c.node, c.dir, freePort(t), freePort(t), socket)
	need.Must(t, os.WriteFile(in("slurm.conf"), []byte(conf), 0o644))
	t.Setenv("SLURM_CONF", in("slurm.conf"))
	c.run("mungekey", "--create", "--keyfile="+in("munge.key"))
	c.daemon("munged", "--foreground", "--force", "--socket="+socket, "--key-file="+in("munge.key"), "--pid-file="+in("munge.pid"),
		"--log-file="+in("munge.log"), "--seed-file="+in("munge.seed"))
	peer.Await(t, "munged", func() bool { _, err := os.Stat(socket); return err == nil })
	c.daemon("slurmctld", "-D", "-c")
	c.daemon("slurmd", "-D", "-N", c.node)
	c.await("idle")
	return c
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// daemon runs a program until the test ends, even if the test is killed.
func (c *cluster) daemon(name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	peer.StartCommand(c.t, cmd)
}

// run returns what a command prints.
func (c *cluster) run(name string, args ...string) string {
	c.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// await waits until the node has a state.
func (c *cluster) await(state string) {
	c.t.Helper()
	peer.Await(c.t, "node to be "+state, func() bool {
		out, err := exec.Command("sinfo", "--noheader", "--format=%T").Output()
		return err == nil && strings.Contains(string(out), state)
	})
}

// tasks returns the states of the tasks of a job that aren't done.
func (c *cluster) tasks(job string) []string {
	out, _ := exec.Command("squeue", "--noheader", "--array", "--states=PENDING,RUNNING,COMPLETING,SUSPENDED,CONFIGURING", "--format=%T", "--job", job).Output()
	return strings.Fields(string(out))
}

// task returns the state of one task.
func (c *cluster) task(job string, index int) string {
	out, _ := exec.Command("scontrol", "show", "job", fmt.Sprintf("%s_%d", job, index)).Output()
	_, state, _ := strings.Cut(string(out), "JobState=")
	state, _, _ = strings.Cut(state, " ")
	return state
}
