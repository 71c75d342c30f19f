import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { refusals, seccompFilter } from './seccomp-filter.ts';
import { syscallNumbers, type Architecture } from './syscall-numbers.ts';

/** What the kernel shows to a filter. */
interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly args: readonly bigint[];
}

const audit = { x64: 0xc000_003e, arm64: 0xc000_00b7, i386: 0x4000_0003 } as const;
const dataBytes = 64;

/** A classic BPF machine with the instructions that seccomp allows and the filter uses; any other is an error. */
function execute(program: Uint8Array, call: Call): number {
  const data = new DataView(new ArrayBuffer(dataBytes));
  data.setInt32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  call.args.forEach((value, index) => data.setBigUint64(16 + index * 8, BigInt.asUintN(64, value), true));
  const code = new DataView(program.buffer);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const operand = code.getUint32(at + 4, true);
    const jump = (isTrue: boolean): number => at + 8 * code.getUint8(at + (isTrue ? 2 : 3));
    switch (code.getUint16(at, true)) {
      case 0x20:
        accumulator = data.getUint32(operand, true);
        break;
      case 0x15:
        at = jump(accumulator === operand);
        break;
      case 0x25:
        at = jump(accumulator > operand);
        break;
      case 0x45:
        at = jump((accumulator & operand) !== 0);
        break;
      case 0x06:
        return operand;
      default:
        throw new Error(`unknown instruction at ${String(at)}`);
    }
  }
  throw new Error('the program ran off its end');
}

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const errno = { EPERM: 0x5_0001, ENOSYS: 0x5_0026, EPROTONOSUPPORT: 0x5_005d, EAFNOSUPPORT: 0x5_0061 } as const;

function verdict(architecture: Architecture, number: number, ...args: readonly (number | bigint)[]): number {
  return execute(seccompFilter(architecture), { number, architecture: audit[architecture], args: args.map(BigInt) });
}

describe('seccompFilter on x86-64', () => {
  it.each([
    { name: 'read', number: 0, args: [0, 0, 100], expected: allow },
    { name: 'openat for reading', number: 257, args: [-100, 1, 0, 0], expected: allow },
    { name: 'openat without O_CREAT ignores a stray mode', number: 257, args: [-100, 1, 0, 0o4755], expected: allow },
    { name: 'openat making a file', number: 257, args: [-100, 1, 0o101, 0o755], expected: allow },
    { name: 'openat making a set-user-id file', number: 257, args: [-100, 1, 0o101, 0o4755], expected: errno.EPERM },
    { name: 'chmod', number: 90, args: [1, 0o755], expected: allow },
    { name: 'chmod u+s', number: 90, args: [1, 0o4755], expected: errno.EPERM },
    { name: 'fchmodat g+s', number: 268, args: [-100, 1, 0o2755], expected: errno.EPERM },
    { name: 'fchmodat2 u+s', number: 452, args: [-100, 1, 0o4755], expected: errno.EPERM },
    { name: 'execve', number: 59, args: [], expected: allow },
    { name: 'clone of a thread', number: 56, args: [0x3d_0f00], expected: allow },
    { name: 'fork by clone', number: 56, args: [0x120_0011], expected: allow },
    { name: 'clone into a user namespace', number: 56, args: [0x1000_0011], expected: errno.EPERM },
    { name: 'clone into a network namespace', number: 56, args: [0x4000_0011], expected: errno.EPERM },
    { name: 'clone into a cgroup namespace', number: 56, args: [0x0200_0011], expected: errno.EPERM },
    { name: 'clone into a mount namespace', number: 56, args: [0x0002_0011], expected: errno.EPERM },
    { name: 'clone3', number: 435, args: [], expected: errno.ENOSYS },
    { name: 'unshare', number: 272, args: [0x1000_0000], expected: errno.EPERM },
    { name: 'setns', number: 308, args: [], expected: errno.EPERM },
    { name: 'mount', number: 165, args: [], expected: errno.EPERM },
    { name: 'umount2', number: 166, args: [], expected: errno.EPERM },
    { name: 'pivot_root', number: 155, args: [], expected: errno.EPERM },
    { name: 'open_tree', number: 428, args: [], expected: errno.EPERM },
    { name: 'ptrace', number: 101, args: [], expected: errno.EPERM },
    { name: 'process_vm_writev', number: 311, args: [], expected: errno.EPERM },
    { name: 'keyctl', number: 250, args: [], expected: errno.EPERM },
    { name: 'bpf', number: 321, args: [], expected: errno.EPERM },
    { name: 'perf_event_open', number: 298, args: [], expected: errno.EPERM },
    { name: 'kexec_load', number: 246, args: [], expected: errno.EPERM },
    { name: 'finit_module', number: 313, args: [], expected: errno.EPERM },
    { name: 'reboot', number: 169, args: [], expected: errno.EPERM },
    { name: 'userfaultfd', number: 323, args: [], expected: errno.EPERM },
    { name: 'io_uring_setup', number: 425, args: [], expected: errno.ENOSYS },
    { name: 'open_by_handle_at', number: 304, args: [], expected: errno.EPERM },
    { name: 'memfd_create', number: 319, args: [], expected: errno.ENOSYS },
    { name: 'personality query', number: 135, args: [0xffff_ffff], expected: allow },
    { name: 'personality without randomisation', number: 135, args: [0x4_0000], expected: errno.EPERM },
    { name: 'ioctl TCGETS', number: 16, args: [0, 0x5401], expected: allow },
    { name: 'ioctl TIOCSTI', number: 16, args: [0, 0x5412], expected: errno.EPERM },
    {
      name: 'ioctl TIOCSTI with high bits that the kernel cuts',
      number: 16,
      args: [0, 0x1_0000_5412n],
      expected: errno.EPERM,
    },
    { name: 'ioctl TIOCLINUX', number: 16, args: [0, 0x541c], expected: errno.EPERM },
    { name: 'unix socket', number: 41, args: [1, 1, 0], expected: allow },
    { name: 'tcp socket', number: 41, args: [2, 0x8_0801, 6], expected: allow },
    { name: 'udp socket, IPv6', number: 41, args: [10, 2, 17], expected: allow },
    { name: 'sctp socket', number: 41, args: [2, 1, 132], expected: errno.EPROTONOSUPPORT },
    { name: 'ping socket', number: 41, args: [2, 2, 1], expected: errno.EPROTONOSUPPORT },
    { name: 'netlink socket', number: 41, args: [16, 3, 0], expected: errno.EAFNOSUPPORT },
    { name: 'packet socket', number: 41, args: [17, 3, 3], expected: errno.EAFNOSUPPORT },
    { name: 'vsock', number: 41, args: [40, 1, 0], expected: errno.EAFNOSUPPORT },
    { name: 'unix socket pair', number: 53, args: [1, 1, 0], expected: allow },
    { name: 'a call that is newer than the table', number: 463, args: [], expected: errno.ENOSYS },
    { name: 'the x32 numbering of read', number: 0x4000_0000, args: [], expected: kill },
    { name: 'a negative number', number: -1, args: [], expected: kill },
  ])('answers $name', ({ number, args, expected }) => {
    expect(verdict('x64', number, ...args)).toBe(expected);
  });
});

describe('seccompFilter on arm64', () => {
  it.each([
    { name: 'read', number: 63, args: [], expected: allow },
    { name: 'mount', number: 40, args: [], expected: errno.EPERM },
    { name: 'ptrace', number: 117, args: [], expected: errno.EPERM },
    { name: 'clone into a user namespace', number: 220, args: [0x1000_0011], expected: errno.EPERM },
    { name: 'fork by clone', number: 220, args: [17], expected: allow },
    { name: 'ioctl TIOCSTI', number: 29, args: [0, 0x5412], expected: errno.EPERM },
    { name: 'netlink socket', number: 198, args: [16, 3, 0], expected: errno.EAFNOSUPPORT },
    { name: 'fchmodat u+s', number: 53, args: [-100, 1, 0o4755], expected: errno.EPERM },
    { name: 'keyctl', number: 219, args: [], expected: errno.EPERM },
  ])('answers $name', ({ number, args, expected }) => {
    expect(verdict('arm64', number, ...args)).toBe(expected);
  });
});

describe.each(['x64', 'arm64'] as const)('the table on %s', (architecture) => {
  verifies('sandbox:kernel-refuses', `refuses every unconditional entry of the table on ${architecture}`, () => {
    const entries = refusals.filter(({ when }) => when === undefined);
    for (const { calls, answer } of entries) {
      for (const call of calls) {
        const number = syscallNumbers[call][architecture];
        if (number !== undefined) expect(verdict(architecture, number), call).toBe(errno[answer]);
      }
    }
    expect(entries.length).toBeGreaterThan(10);
  });

  it('kills what speaks another architecture', () => {
    const others = Object.values(audit).filter((value) => value !== audit[architecture]);
    for (const other of others)
      expect(execute(seccompFilter(architecture), { number: 0, architecture: other, args: [] })).toBe(kill);
  });

  it('fits into the kernel and never jumps further than an instruction can say', () => {
    const program = seccompFilter(architecture);
    expect(program.length / 8).toBeLessThan(4096);
    // A jump that was cut to 8 bits would land in the middle; every number up to the newest must still reach an end.
    for (let number = 0; number <= 500; number += 1)
      expect([allow, ...Object.values(errno)]).toContain(verdict(architecture, number, 1, 0, 0, 0));
  });

  it('never names two calls by one number', () => {
    const numbers = Object.values(syscallNumbers).flatMap((entry) => entry[architecture] ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
