/**
 * The seccomp filter of every sandbox: a table of refusals, and its translation into a classic BPF program.
 *
 * The filter lists refusals, not permissions, because interpreters use most of the harmless calls and change which ones. Calls
 * newer than the list are refused by their number.
 *
 * I1  The filter kills calls of a foreign architecture or the x32 numbering, where numbers mean other calls.
 * I2  Arguments are compared by their low 32 bits, because the kernel itself cuts these arguments to 32 bits.
 * I3  Pure: the same architecture always gives the same bytes.
 *
 * Source: reliability-security 3. Differs: RuntimeDefault is the container engine's list; bubblewrap brings none, so
 * this is ours and stricter (no namespaces, keys, io_uring, System V memory, set-user-id bits).
 */
import { NEWEST_SYSCALL, syscallNumbers, type Architecture, type SyscallName } from './syscall-numbers.ts';

const errnos = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, EAFNOSUPPORT: 97 } as const;

/** One condition on a call's argument (counted from 0). */
type ArgumentTest =
  | { readonly argument: number; readonly hasAnyBit: number }
  | { readonly argument: number; readonly isOneOf: readonly number[] }
  | { readonly argument: number; readonly isNoneOf: readonly number[] };

interface SyscallRule {
  readonly why: string;
  readonly calls: readonly SyscallName[];
  readonly answer: keyof typeof errnos;
  /** All must hold; without any the call is always refused. */
  readonly when?: readonly ArgumentTest[];
}

const newNamespaceBits = 0x7e02_0000;
const setIdBits = 0o6000;
const createBits = 0o100 | 0o20_000_000;
const tiocsti = 0x5412;
const tioclinux = 0x541c;
const UNIX_FAMILY = 1;
const internetFamilies = [2, 10];
const tcpAndUdp = [0, 6, 17];
const plainPersonalities = [0, 0xffff_ffff];

/** Refused system calls. First match wins. */
export const refusals: readonly SyscallRule[] = [
  {
    why: 'changes what is mounted',
    calls: [
      'mount',
      'umount2',
      'pivot_root',
      'chroot',
      'mount_setattr',
      'move_mount',
      'open_tree',
      'fsopen',
      'fsconfig',
      'fsmount',
      'fspick',
    ],
    answer: 'EPERM',
  },
  { why: 'lists mounts with their host paths', calls: ['statmount', 'listmount'], answer: 'ENOSYS' },
  { why: 'enters or makes namespaces', calls: ['setns', 'unshare'], answer: 'EPERM' },
  {
    why: 'makes namespaces',
    calls: ['clone'],
    answer: 'EPERM',
    when: [{ argument: 0, hasAnyBit: newNamespaceBits }],
  },
  { why: 'hides its flags in memory; C libraries fall back to clone', calls: ['clone3'], answer: 'ENOSYS' },
  {
    why: 'reads, writes or compares other processes',
    calls: ['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'pidfd_getfd', 'kcmp'],
    answer: 'EPERM',
  },
  { why: 'key rings are not in a namespace', calls: ['keyctl', 'add_key', 'request_key'], answer: 'EPERM' },
  {
    why: 'loads programs into the kernel or measures it',
    calls: ['bpf', 'perf_event_open', 'lookup_dcookie'],
    answer: 'EPERM',
  },
  {
    why: 'replaces or extends the kernel',
    calls: [
      'kexec_load',
      'kexec_file_load',
      'init_module',
      'finit_module',
      'delete_module',
      'create_module',
      'get_kernel_syms',
      'query_module',
    ],
    answer: 'EPERM',
  },
  {
    why: 'administers the machine',
    calls: [
      'reboot',
      'swapon',
      'swapoff',
      'acct',
      'quotactl',
      'quotactl_fd',
      'syslog',
      'vhangup',
      'nfsservctl',
      'sethostname',
      'setdomainname',
    ],
    answer: 'EPERM',
  },
  { why: 'sets the clock', calls: ['settimeofday', 'clock_settime', 'clock_adjtime', 'adjtimex'], answer: 'EPERM' },
  { why: 'reaches hardware', calls: ['iopl', 'ioperm', 'modify_ldt'], answer: 'EPERM' },
  {
    why: 'opens files by handle, past every mount',
    calls: ['open_by_handle_at', 'name_to_handle_at'],
    answer: 'EPERM',
  },
  { why: 'watches whole file systems', calls: ['fanotify_init', 'fanotify_mark'], answer: 'EPERM' },
  { why: 'makes kernel races easy', calls: ['userfaultfd', 'remap_file_pages'], answer: 'EPERM' },
  {
    why: 'runs calls that no filter sees',
    calls: ['io_uring_setup', 'io_uring_enter', 'io_uring_register'],
    answer: 'ENOSYS',
  },
  {
    why: 'places memory on the host',
    calls: ['mbind', 'set_mempolicy', 'set_mempolicy_home_node', 'migrate_pages', 'move_pages'],
    answer: 'EPERM',
  },
  {
    why: 'holds memory that belongs to no process, which no limit but a memory cgroup counts',
    calls: ['memfd_create', 'memfd_secret', 'shmget', 'msgget', 'semget'],
    answer: 'ENOSYS',
  },
  { why: 'obsolete', calls: ['_sysctl', 'sysfs', 'uselib', 'ustat'], answer: 'ENOSYS' },
  {
    why: 'weakens address randomisation',
    calls: ['personality'],
    answer: 'EPERM',
    when: [{ argument: 0, isNoneOf: plainPersonalities }],
  },
  {
    why: 'types into a terminal',
    calls: ['ioctl'],
    answer: 'EPERM',
    when: [{ argument: 1, isOneOf: [tiocsti, tioclinux] }],
  },
  {
    why: 'other socket families reach the kernel, not a peer',
    calls: ['socket'],
    answer: 'EAFNOSUPPORT',
    when: [{ argument: 0, isNoneOf: [UNIX_FAMILY, ...internetFamilies] }],
  },
  {
    why: 'rare protocols load kernel modules',
    calls: ['socket'],
    answer: 'EPROTONOSUPPORT',
    when: [
      { argument: 0, isOneOf: internetFamilies },
      { argument: 2, isNoneOf: tcpAndUdp },
    ],
  },
  {
    why: 'only local pairs',
    calls: ['socketpair'],
    answer: 'EAFNOSUPPORT',
    when: [{ argument: 0, isNoneOf: [UNIX_FAMILY] }],
  },
  { why: 'hides its mode in memory; callers fall back to openat', calls: ['openat2'], answer: 'ENOSYS' },
  {
    why: 'leaves a set-user-id file in the workspace',
    calls: ['chmod', 'fchmod', 'creat', 'mknod'],
    answer: 'EPERM',
    when: [{ argument: 1, hasAnyBit: setIdBits }],
  },
  {
    why: 'leaves a set-user-id file in the workspace',
    calls: ['fchmodat', 'fchmodat2', 'mknodat'],
    answer: 'EPERM',
    when: [{ argument: 2, hasAnyBit: setIdBits }],
  },
  {
    why: 'leaves a set-user-id file in the workspace',
    calls: ['open'],
    answer: 'EPERM',
    when: [
      { argument: 1, hasAnyBit: createBits },
      { argument: 2, hasAnyBit: setIdBits },
    ],
  },
  {
    why: 'leaves a set-user-id file in the workspace',
    calls: ['openat'],
    answer: 'EPERM',
    when: [
      { argument: 2, hasAnyBit: createBits },
      { argument: 3, hasAnyBit: setIdBits },
    ],
  },
];

/** One instruction of the kernel's `struct sock_filter`; jumps count the instructions to skip. */
interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

const opcodes = { load: 0x20, jumpIfEqual: 0x15, jumpIfGreater: 0x25, jumpIfAnyBit: 0x45, give: 0x06 } as const;
const verdicts = { allow: 0x7fff_0000, killProcess: 0x8000_0000, errno: 0x0005_0000 } as const;
const auditArchitectures: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const x32Bit = 0x4000_0000;
/** Offsets in `struct seccomp_data`. */
const CALL_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;

function load(offset: number): Instruction {
  return { code: opcodes.load, ifTrue: 0, ifFalse: 0, operand: offset };
}

function give(verdict: number): Instruction {
  return { code: opcodes.give, ifTrue: 0, ifFalse: 0, operand: verdict };
}

/** Skips the next instruction unless the test holds. */
function onlyIf(code: number, operand: number): Instruction {
  return { code, ifTrue: 0, ifFalse: 1, operand };
}

function lowWordOffset(argument: number): number {
  return 16 + argument * 8;
}

/** Falls through if the test holds, else skips `toMiss` further instructions. */
function testInstructions(test: ArgumentTest, toMiss: number): readonly Instruction[] {
  const fetch = load(lowWordOffset(test.argument));
  if ('hasAnyBit' in test)
    return [fetch, { code: opcodes.jumpIfAnyBit, ifTrue: 0, ifFalse: toMiss, operand: test.hasAnyBit }];
  const values = 'isOneOf' in test ? test.isOneOf : test.isNoneOf;
  const comparisons = values.map((operand, index): Instruction => {
    const remaining = values.length - 1 - index;
    if ('isNoneOf' in test) return { code: opcodes.jumpIfEqual, ifTrue: remaining + toMiss, ifFalse: 0, operand };
    return { code: opcodes.jumpIfEqual, ifTrue: remaining, ifFalse: remaining === 0 ? toMiss : 0, operand };
  });
  return [fetch, ...comparisons];
}

/** Refuses one call under its conditions, and leaves the call number loaded. */
function refusalInstructions(number: number, refusal: SyscallRule): readonly Instruction[] {
  const verdict = give(verdicts.errno | errnos[refusal.answer]);
  if (refusal.when === undefined) return [onlyIf(opcodes.jumpIfEqual, number), verdict];
  let body: readonly Instruction[] = [verdict];
  for (const test of refusal.when.toReversed()) body = [...testInstructions(test, body.length), ...body];
  const block = [...body, load(CALL_OFFSET)];
  return [{ code: opcodes.jumpIfEqual, ifTrue: 0, ifFalse: block.length, operand: number }, ...block];
}

function program(architecture: Architecture): readonly Instruction[] {
  const refuse = refusals.flatMap((refusal) =>
    refusal.calls.flatMap((call) => {
      const number = syscallNumbers[call][architecture];
      return number === undefined ? [] : refusalInstructions(number, refusal);
    }),
  );
  return [
    load(ARCHITECTURE_OFFSET),
    { code: opcodes.jumpIfEqual, ifTrue: 1, ifFalse: 0, operand: auditArchitectures[architecture] },
    give(verdicts.killProcess),
    load(CALL_OFFSET),
    onlyIf(opcodes.jumpIfAnyBit, x32Bit),
    give(verdicts.killProcess),
    onlyIf(opcodes.jumpIfGreater, NEWEST_SYSCALL),
    give(verdicts.errno | errnos.ENOSYS),
    ...refuse,
    give(verdicts.allow),
  ];
}

const INSTRUCTION_BYTES = 8;

/** The program as bytes, as `bwrap --seccomp` reads them. Both architectures are little-endian. */
export function seccompFilter(architecture: Architecture): Uint8Array {
  const instructions = program(architecture);
  const bytes = new Uint8Array(instructions.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  instructions.forEach((instruction, index) => {
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, instruction.code, true);
    view.setUint8(at + 2, instruction.ifTrue);
    view.setUint8(at + 3, instruction.ifFalse);
    view.setUint32(at + 4, instruction.operand, true);
  });
  return bytes;
}
