"""Hostile shapes for a process whose gate is off: Python itself, the C library and system calls by number, tried on whatever is
outside. Each program tries several; what one gets it writes onto every descriptor that it can think of.

A program finds in its namespace ``folder``, ``secret`` (the path of a file), ``tcp``, ``udp`` (ports), ``unix`` (a path).
"""

from __future__ import annotations

import random
from typing import Final

PRELUDE: Final = """
import ctypes, gc, os, signal, sys, threading
C = ctypes.CDLL(None, use_errno=True)
def leak(x):
    text = x if isinstance(x, bytes) else repr(x).encode('utf8', 'replace')
    for number in (3, 4, 5, 6, 7, 8, 1, 2, 0, *range(9, 40)):
        try: os.write(number, text)
        except BaseException: pass
def b(x): return ctypes.create_string_buffer(x.encode() if isinstance(x, str) else x)
def at(x): return ctypes.addressof(x) if isinstance(x, ctypes.Array) else x
kept = []
def call(number, *given):
    kept.extend(given)
    return C.syscall(ctypes.c_long(number), *[ctypes.c_ulong(at(x) & (2**64 - 1)) for x in given])
address = b((2).to_bytes(2, 'little') + tcp.to_bytes(2, 'big') + bytes([127, 0, 0, 1]) + bytes(8))
own = os.getpid()
parent = os.getppid()
"""
_PATHS: Final = """
secret folder+'/made' folder '/etc/passwd' '/proc/self/environ' f'/proc/{parent}/environ' f'/proc/{parent}/mem' '/proc/self/mem'
'/proc/self/fd/3' '/proc/1/cmdline' '/dev/mem' '/dev/shm/gradflow-canary' '/dev/null' '/dev/tty' '/bin/sh' '/tmp' '/' '.' '..' unix '\\0gradflow'
f'/proc/{parent}/fd/1' '/proc/self/exe' '/sys' '/proc/self/oom_score_adj' '/proc/sys/kernel/core_pattern' '/dev/kvm' '/dev/fuse' '/dev/ptmx'
"""
_NUMBERS: Final = """
0 1 2 3 4 5 7 8 16 64 255 4095 4096 65536 -1 -2 -100 2**31 2**32-1 2**40 2**63 parent own 1000 0o777 0x80000 0x241 0x242 0x7fffffff tcp udp
0x10000000 0x20000 0x00020000|0x11 0x40000000 0x4000 0x800 0x101 22 38 36 15
"""
_BUFFERS: Final = """
b(secret) b(folder+'/made') b('/etc/passwd') b('/bin/sh') b('') b('a'*4096) address b(bytes(64)) b(bytes(512)) b(b'\\xff'*128) b('gradflow-canary')
b(at(b('/bin/sh')).to_bytes(8,'little')+bytes(8)) b(at(address).to_bytes(8,'little')+(16).to_bytes(8,'little')+bytes(48))
"""
PATHS: Final = _PATHS.split()
NUMBERS: Final = _NUMBERS.split()
BUFFERS: Final = _BUFFERS.split()
SYSTEM_CALLS: Final = 470
_FUNCTIONS: Final = """
system popen execv execve execvp fork vfork open open64 openat creat fopen mkdir rmdir unlink rename link symlink chmod chown truncate mknod
mkfifo chdir chroot socket connect bind listen accept send sendto sendmsg recv recvmsg socketpair shutdown kill tgkill killpg raise sigqueue
ptrace mmap mprotect mremap pkey_mprotect memfd_create shm_open shmget shmat shmctl semget msgget msgsnd mq_open sem_open setuid setgid
setresuid setns unshare clone mount umount umount2 pivot_root swapon reboot personality prctl seccomp setrlimit prlimit prlimit64 setpriority
sched_setscheduler sched_setaffinity nice sethostname settimeofday adjtime clock_settime acct syslog klogctl ioctl fcntl flock dup dup2 dup3
pipe pipe2 eventfd epoll_create inotify_init inotify_add_watch fanotify_init signalfd timerfd_create timer_create process_vm_readv
process_vm_writev splice tee vmsplice sendfile copy_file_range getdents readlink realpath stat lstat access statfs getxattr setxattr opendir
scandir getcwd getpwuid getaddrinfo gethostbyname dlopen pthread_create posix_spawn daemon wait waitpid pause alarm setitimer sync fsync
"""
FUNCTIONS: Final = _FUNCTIONS.split()
_MODULES: Final = """
socket subprocess multiprocessing asyncio urllib.request http.client ssl sqlite3 mmap fcntl pty select resource tempfile shutil ctypes.util
_posixsubprocess _socket webbrowser ftplib smtplib telnetlib code pdb importlib.machinery _ctypes_test xxlimited readline curses
"""
MODULES: Final = _MODULES.split()
_OS: Final = """
listdir scandir stat open mkdir remove rmdir rename link symlink chmod chown truncate mkfifo mknod chdir chroot readlink access utime statvfs
getxattr listxattr setxattr system popen fork forkpty execv kill killpg getpriority setpriority nice setuid setgid setsid pipe pipe2 dup dup2
eventfd memfd_create pidfd_open posix_spawn sched_setaffinity sched_getparam sendfile splice openpty ttyname getlogin getgroups setgroups
wait waitpid abort _exit fstat ftruncate fchmod fchdir isatty lockf pread pwrite copy_file_range getrandom urandom putenv get_terminal_size
"""
OS: Final = _OS.split()
SHAPES: Final = (
    "leak(call({s}, {a}, {a}, {a}, {a}, {a}, {a}))",
    "for each in range({s}, {s} + 40): call(each, {a}, {a}, {a}, {a}, {a}, {a})",
    "leak(call({s} | 0x40000000, {a}, {a}, {a}))",
    "leak(C.{f}({c}, {c}, {c}, {c}))",
    "leak(C.{f}({c}, {c}, {c}, {c}, {c}, {c}))",
    "leak(os.{o}({p}))",
    "leak(os.{o}({n}))",
    "leak(os.{o}({p}, {n}))",
    "leak(os.{o}({n}, {n}))",
    "leak(os.{o}({p}, {p}))",
    "leak(os.{o}({n}, {n}, {n}))",
    "leak(open({p}).read())",
    "leak(open({p}, 'rb', 0).read(100))",
    "open({p}, 'w').write('here')",
    "leak(open({n}, 'rb', closefd=False).read(100))",
    "leak(os.read({n}, 100))",
    "os.write({n}, b'here' * 1000)",
    "os.lseek({n}, {n}, 0)",
    "fd = C.open(b({p}), {n}, {n})\nleak(fd)\nx = b(bytes(200))\nC.read(fd, x, 200)\nleak(x.raw)",
    "fd = C.openat(-100, b({p}), {n})\nleak(os.read(fd, 100))",
    "fd = call(437, -100, b({p}), b(bytes(24)), 24)\nleak(os.read(fd, 100))",
    "fd = C.socket({n} & 15, {n} & 7, 0)\nleak(C.connect(fd, address, 16))\nC.send(fd, b('here'), 4, 0)",
    "import socket\nx = socket.create_connection(('127.0.0.1', tcp), 1)\nx.send(b'here')",
    "import socket\nx = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nx.sendto(b'here', ('127.0.0.1', udp))",
    "import socket\nx = socket.socket(socket.AF_UNIX)\nx.connect(unix)\nx.send(b'here')",
    "import socket\nfor each in range(50):\n    try: x = socket.socket(fileno=each); leak(x); x.sendall(b'here'); x.shutdown(2)\n    except OSError: pass",
    "import _socket\nfor each in gc.get_objects():\n    if isinstance(each, _socket.socket): leak(each.send(b'here'))",
    "import subprocess\nleak(subprocess.run(['/bin/cat', secret], capture_output=True).stdout)",
    "import _posixsubprocess\nleak(_posixsubprocess.__dict__)",
    "import {m} as found\nleak(found)",
    "import importlib\nleak(importlib.import_module('{m}'))",
    "os.kill(parent, {n} % 32)",
    "for each in (10, 12, 1, 15): os.kill(parent, each); C.kill(parent, each); C.killpg(0, each); call(62, parent, each); call(234, parent, parent, each)",
    "signal.pidfd_send_signal({n}, {n} % 32)",
    "threading.Thread(target=leak, args=('here',)).start()",
    "import _thread\nfor each in range(20): _thread.start_new_thread(leak, ('here',))",
    "x = C.mmap(0, 4096, 7, 0x22, -1, 0)\nleak(x)\nctypes.memmove(x, b'\\xc3', 1)\nctypes.CFUNCTYPE(None)(x)()",
    "x = C.mmap(0, 4096, 3, 0x22, -1, 0)\nleak(C.mprotect(x, 4096, 5))\nctypes.CFUNCTYPE(None)(x)()",
    "x = C.mmap(0, 4096, {n} & 7, {n}, {n}, 0)\nleak(x)",
    "ctypes.memset({n}, 0, 8)",
    "leak(ctypes.string_at({n}, 64))",
    "f = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: leak('here') or 1)\nleak(f())",
    "C.signal({n} % 64, ctypes.c_void_p({n}))\nsignal.raise_signal({n} % 64 or 10)",
    "signal.signal({n} % 64 or 10, lambda *x: leak('here'))\nsignal.setitimer(signal.ITIMER_REAL, .001)\nsum(range(100000))",
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "import resource\nfor each in range(16):\n    try: resource.setrlimit(each, (resource.RLIM_INFINITY,) * 2)\n    except (OSError, ValueError): pass\nleak(os.fork())",
    "C.prctl({n}, {a}, {a}, {a}, {a})",
    "C.prctl(22, 0, 0, 0, 0)\nC.prctl(38, 0, 0, 0, 0)\nC.prctl(1, 0, 0, 0, 0)\nleak(open(secret).read())",
    "call(317, 1, 0, b((1).to_bytes(8, 'little') + at(b(bytes.fromhex('060000000000ff7f'))).to_bytes(8, 'little')))\nleak(open(secret).read())",
    "call(425, 8, b(bytes(120)))\ncall(426, 3, 1, 1, 1, 0, 0)\ncall(427, 3, 0, b(bytes(64)), 1)",
    "x = b(bytes(4096))\nleak(call(310, parent, b(at(x).to_bytes(8, 'little') + bytes([0, 16]) + bytes(6)), 1, b(bytes(16)), 1, 0))",
    "leak(C.ptrace({n} & 31, parent, {a}, {a}))",
    "leak([C.shmget({n}, 4096, 0o1777), C.msgget({n}, 0o1777), C.semget({n}, 1, 0o1777)])",
    "fd = call(319, b('gradflow-canary'), {n})\nleak(fd)\ncall(322, fd, b(''), b(bytes(8)), b(bytes(8)), 0x1000)",
    "fd = call(304, {n}, b({p}), 0)\ncall(303, -100, b({p}), b(bytes(128)), b(bytes(4)), 0)\nleak(fd)",
    "pid = os.fork()\nleak(pid)\nwhile True: pass",
    "for each in range(100):\n    if os.fork() == 0: leak('here')",
    "leak(call(56, {n}, 0, 0, 0, 0))\nleak(call(435, b(bytes(88)), 88))",
    "os.execv('/bin/sh', ['sh', '-c', 'cat ' + secret + ' > ' + folder + '/made'])",
    "C.system(b('cat ' + secret + ' > ' + folder + '/made'))",
    "leak(sys._current_frames())\nfor each in gc.get_objects():\n    if type(each).__name__ == 'frame': leak(each.f_locals)",
    "leak(dict(os.environ))",
    "class X:\n    def __del__(self): leak(open(secret).read())\nX()",
    "import atexit\natexit.register(lambda: leak(open(secret).read()))",
    "sys.settrace(lambda *x: leak('here'))\nsys.setprofile(None)",
    "sys.setrecursionlimit(10**6)\ndef deep(): deep()\ndeep()",
    "x = [bytes(10**9) for each in range(100)]",
    "x = bytearray(10**8)\nwhile True: x += x",
    "os.close({n} & 63)\nleak(os.open(secret, 0))",
    "for each in range(64):\n    try: os.dup2(each, 63 - each)\n    except OSError: pass",
    "from gradflow.backend.jail import confine, forkserver, wire\nfor each in (confine, forkserver, wire): leak(vars(each))",
    "from gradflow.backend.confinement import system_calls\nsystem_calls.COMPUTING = 'open'\nleak(system_calls.filter_of_runs())",
    "sys.stdout.write('here')\nsys.stderr.write('here')\nsys.stdout.flush()",
    "faulthandler = __import__('faulthandler')\nfaulthandler.dump_traceback_later(.01, file=3)\nfaulthandler._sigsegv()",
    "os.abort()",
    "while True: os.getpid()",
)


def program(chance: random.Random, tries: int = 4) -> str:
    """A program of some shapes, each in words of its own."""
    return PRELUDE + "".join(attempt(chance) for _ in range(tries))


def attempt(chance: random.Random) -> str:
    """One shape with numbers, paths and buffers."""
    text = chance.choice(SHAPES)
    for mark, choices in _CHOICES.items():
        while f"{{{mark}}}" in text:
            text = text.replace(f"{{{mark}}}", str(chance.choice(choices)), 1)
    body = text.replace("\n", "\n    ")
    return f"try:\n    {body}\nexcept BaseException: pass\n"


_CHOICES: Final = {
    "s": range(SYSTEM_CALLS),
    "a": NUMBERS + BUFFERS,
    "c": [f"ctypes.c_long({each})" for each in NUMBERS] + BUFFERS,
    "f": FUNCTIONS,
    "o": OS,
    "m": MODULES,
    "p": PATHS,
    "n": NUMBERS,
}
