"""Runs a program at a terminal of its own, as a job of a shell: `terminal.py front|back PROGRAM [ARGUMENT...]`.

Standard input takes orders, one a line: `type TEXT`, `front`, `back` (whether the job has the terminal), `hangup` (the terminal
closes, and the shell tells its job). Standard output is what the terminal shows. Standard error gets `pid N`, and at the end
`exit N` or `signal N`.
"""
import fcntl
import os
import pty
import select
import signal
import sys
import termios


def shell(terminal, orders, news, is_front, argv):
    """The leader of the session. It never returns."""
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        if is_front:
            os.tcsetpgrp(terminal, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        for fd in (0, 1, 2):
            os.dup2(terminal, fd)
        os.closerange(3, 64)
        os.execvp(argv[0], argv)
    signal.signal(signal.SIGHUP, lambda *_: os.killpg(job, signal.SIGHUP))
    os.write(news, b"pid %d\n" % job)
    if os.fork() == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        while order := os.read(orders, 1):
            os.tcsetpgrp(terminal, job if order == b"f" else os.getpgrp())
        os._exit(0)
    while True:
        _, status = os.waitpid(job, 0)
        code = os.waitstatus_to_exitcode(status)
        os.write(news, b"exit %d\n" % code if code >= 0 else b"signal %d\n" % -code)
        os._exit(0)


def obey(line, keeper, orders):
    """Returns whether the terminal is still open."""
    word, _, text = line.partition(" ")
    if word == "type":
        os.write(keeper, text.encode() + b"\n")
    elif word == "hangup":
        os.close(keeper)
        return False
    else:
        os.write(orders, word[:1].encode())
    return True


def main():
    keeper, terminal = pty.openpty()
    orders_in, orders_out = os.pipe()
    news_in, news_out = os.pipe()
    if os.fork() == 0:
        os.close(keeper)
        os.close(orders_out)
        shell(terminal, orders_in, news_out, sys.argv[1] == "front", sys.argv[2:])
    os.close(terminal)
    os.close(news_out)
    is_open, begun = True, b""
    while True:
        ready, _, _ = select.select([0, news_in] + ([keeper] if is_open else []), [], [])
        if is_open and keeper in ready:
            try:
                os.write(1, os.read(keeper, 65536))
            except OSError:
                is_open = False
        if news_in in ready:
            news = os.read(news_in, 4096)
            os.write(2, news)
            if not news or b"exit" in news or b"signal" in news:
                return
        if 0 in ready:
            read = os.read(0, 4096)
            if not read:
                return
            *lines, begun = (begun + read).split(b"\n")
            for line in lines:
                is_open = obey(line.decode(), keeper, orders_out) and is_open


main()
