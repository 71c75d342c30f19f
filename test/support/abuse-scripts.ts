/**
 * What hostile code does to a sandbox, as data: for the runner on a machine and for sandboxes on a cluster.
 *
 * Every script is bounded by itself as well (`timeout`, counts), so that a limit that fails fails the test and not the machine.
 */
export interface AbuseScript {
  readonly name: string;
  readonly language: 'Bash' | 'JavaScript';
  readonly script: string;
  /** Where it is safe and means something: everywhere, in a pid namespace of its own, or in a pod with memory limits. */
  readonly needs: 'Nothing' | 'PidNamespace' | 'Pod';
  /** How its run must end, and a part of the reason. */
  readonly end: 'Exited' | 'TimedOut' | 'Killed';
  readonly reason?: string;
  readonly timeoutMs: number;
}

/** Limits under which the scripts end as they say. */
export const ABUSE_LIMITS = {
  processes: 64,
  outputBytes: 65_536,
  scratchBytes: 32 * 1024 * 1024,
} as const;

/** Python with what the library of C offers, as a script of Bash: interpreters have no word for these calls. */
function withLibraryOfC(script: string): string {
  return `exec python3 -c '
import ctypes, os, threading, time
c = ctypes.CDLL(None)
c.mmap.restype = ctypes.c_void_p
c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
def unlinked(name):
    file = os.open(name, os.O_RDWR | os.O_CREAT)
    os.unlink(name)
    return file
${script}
time.sleep(20)'`;
}

/** JavaScript that takes four gigabytes, and holds them. */
export const MEMORY_BALLOON =
  'const held = []; for (let i = 0; i < 400; i += 1) held.push(Buffer.alloc(1e7, 1)); setTimeout(() => 0, 20_000);';

export const ABUSE_SCRIPTS: readonly AbuseScript[] = [
  {
    name: 'an endless loop',
    language: 'Bash',
    script: 'while [ $SECONDS -lt 30 ]; do :; done',
    ...{ needs: 'Nothing', end: 'TimedOut', timeoutMs: 1000 },
  },
  {
    name: 'an endless loop in JavaScript',
    language: 'JavaScript',
    script: 'const end = Date.now() + 30_000; while (Date.now() < end);',
    ...{ needs: 'Nothing', end: 'TimedOut', timeoutMs: 1000 },
  },
  {
    name: 'sleep past the deadline',
    language: 'Bash',
    script: 'sleep 60',
    ...{ needs: 'Nothing', end: 'TimedOut', timeoutMs: 1000 },
  },
  {
    name: 'deaf to every signal',
    language: 'Bash',
    script: "trap '' TERM INT HUP QUIT PIPE USR1 USR2; for i in $(seq 60); do sleep 1; done",
    ...{ needs: 'Nothing', end: 'TimedOut', timeoutMs: 1000 },
  },
  {
    name: 'stopped by its own signal',
    language: 'Bash',
    script: 'kill -STOP $$; sleep 60',
    ...{ needs: 'Nothing', end: 'TimedOut', timeoutMs: 1000 },
  },
  {
    name: 'a flood of output',
    language: 'Bash',
    script: 'timeout 60 head -c 2000000000 /dev/zero',
    ...{ needs: 'Nothing', end: 'Killed', reason: 'output', timeoutMs: 60_000 },
  },
  {
    name: 'one endless file',
    language: 'Bash',
    script: 'exec head -c 40000000 /dev/zero > big',
    ...{ needs: 'Nothing', end: 'Killed', reason: 'bytes of files', timeoutMs: 60_000 },
  },
  {
    name: 'many files',
    language: 'Bash',
    script: 'for i in $(seq 20); do head -c 8000000 /dev/zero > flood.$i; sleep 0.1; done; sleep 20',
    ...{ needs: 'Nothing', end: 'Killed', reason: 'bytes of files', timeoutMs: 60_000 },
  },
  {
    name: 'deleted files that are still open',
    language: 'Bash',
    script:
      'for i in $(seq 10 20); do eval "exec $i> hidden"; rm hidden; head -c 8000000 /dev/zero >&$i; sleep 0.1; done; sleep 20',
    ...{ needs: 'Nothing', end: 'Killed', reason: 'bytes of files', timeoutMs: 60_000 },
  },
  {
    name: 'deleted files that are mapped and closed',
    language: 'Bash',
    script: withLibraryOfC(`
for i in range(4):
    file = unlinked("hidden")
    os.write(file, bytes(8000000))
    c.mmap(None, 4096, 1, 1, file, 0)
    os.close(file)`),
    ...{ needs: 'Nothing', end: 'Killed', reason: 'deleted file that is mapped', timeoutMs: 60_000 },
  },
  {
    name: 'deleted files that are mapped and open',
    language: 'Bash',
    script: withLibraryOfC(`
file = unlinked("hidden")
os.write(file, bytes(8000000))
c.mmap(None, 4096, 1, 1, file, 0)
time.sleep(1)
os._exit(5)`),
    ...{ needs: 'PidNamespace', end: 'Exited', timeoutMs: 60_000 },
  },
  {
    name: 'deleted files of a process whose first thread is gone',
    language: 'Bash',
    script: withLibraryOfC(`
def fill():
    files = [unlinked("hidden") for i in range(6)]
    for file in files: os.write(file, bytes(8000000))
    time.sleep(20)
threading.Thread(target=fill).start()
c.pthread_exit(None)`),
    ...{ needs: 'Nothing', end: 'Killed', reason: 'bytes of files', timeoutMs: 60_000 },
  },
  {
    name: 'a process that lets nobody see its files',
    language: 'Bash',
    script: withLibraryOfC(`
c.prctl(4, 0, 0, 0, 0)
files = [unlinked("hidden") for i in range(6)]
for file in files: os.write(file, bytes(8000000))`),
    ...{ needs: 'PidNamespace', end: 'Killed', reason: 'hides', timeoutMs: 60_000 },
  },
  {
    name: 'files in a directory without rights',
    language: 'Bash',
    script:
      'mkdir dark; cd dark; for i in $(seq 20); do head -c 8000000 /dev/zero > f.$i; chmod 0300 .; sleep 0.1; done; sleep 20',
    ...{ needs: 'Nothing', end: 'Killed', reason: 'files', timeoutMs: 60_000 },
  },
  {
    name: 'a fork bomb',
    language: 'Bash',
    script: 'bomb() { [ $SECONDS -gt 15 ] || { bomb & bomb & }; }; bomb 2>/dev/null; sleep 60',
    ...{ needs: 'PidNamespace', end: 'TimedOut', timeoutMs: 2000 },
  },
  {
    name: 'processes that leave their session',
    language: 'Bash',
    script: 'for i in $(seq 30); do setsid sleep 60 & done 2>/dev/null; sleep 60',
    ...{ needs: 'PidNamespace', end: 'TimedOut', timeoutMs: 1500 },
  },
  {
    name: 'processes that outlive the script',
    language: 'Bash',
    script: 'setsid sleep 60 & disown; setsid sleep 60 >/dev/null 2>&1 & disown; exit 3',
    ...{ needs: 'PidNamespace', end: 'Exited', timeoutMs: 60_000 },
  },
  {
    name: 'signals to the first process',
    language: 'Bash',
    script:
      'for s in KILL STOP HUP INT QUIT USR1 USR2 PIPE ALRM ABRT; do kill -$s 1; done 2>/dev/null; sleep 1; exit 4',
    ...{ needs: 'PidNamespace', end: 'Exited', timeoutMs: 60_000 },
  },
  {
    name: 'a memory balloon',
    language: 'JavaScript',
    script: MEMORY_BALLOON,
    ...{ needs: 'Pod', end: 'Killed', reason: 'memory', timeoutMs: 60_000 },
  },
];
