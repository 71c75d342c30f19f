/**
 * The system call numbers of the seccomp filter, from the kernel's tables.
 *
 * From 424 on all architectures share one numbering. `undefined` if an architecture never had the call.
 */

/** As in `process.arch`. Other architectures have no filter and run no code. */
export type Architecture = 'x64' | 'arm64';

interface Numbers {
  readonly x64: number | undefined;
  readonly arm64: number | undefined;
}

function numbers(x64: number | undefined, arm64: number | undefined): Numbers {
  return { x64, arm64 };
}

function sameOnAll(number: number): Numbers {
  return { x64: number, arm64: number };
}

/** The newest call that the filter knows (`mseal`). Newer calls do not exist in the sandbox. */
export const NEWEST_SYSCALL = 462;

export const syscallNumbers = {
  _sysctl: numbers(156, undefined),
  acct: numbers(163, 89),
  add_key: numbers(248, 217),
  adjtimex: numbers(159, 171),
  bpf: numbers(321, 280),
  chmod: numbers(90, undefined),
  chroot: numbers(161, 51),
  clock_adjtime: numbers(305, 266),
  clock_settime: numbers(227, 112),
  clone: numbers(56, 220),
  clone3: sameOnAll(435),
  creat: numbers(85, undefined),
  create_module: numbers(174, undefined),
  delete_module: numbers(176, 106),
  fanotify_init: numbers(300, 262),
  fanotify_mark: numbers(301, 263),
  fchmod: numbers(91, 52),
  fchmodat: numbers(268, 53),
  fchmodat2: sameOnAll(452),
  finit_module: numbers(313, 273),
  fsconfig: sameOnAll(431),
  fsmount: sameOnAll(432),
  fsopen: sameOnAll(430),
  fspick: sameOnAll(433),
  get_kernel_syms: numbers(177, undefined),
  init_module: numbers(175, 105),
  io_uring_enter: sameOnAll(426),
  io_uring_register: sameOnAll(427),
  io_uring_setup: sameOnAll(425),
  ioctl: numbers(16, 29),
  ioperm: numbers(173, undefined),
  iopl: numbers(172, undefined),
  kcmp: numbers(312, 272),
  kexec_file_load: numbers(320, 294),
  kexec_load: numbers(246, 104),
  keyctl: numbers(250, 219),
  listmount: sameOnAll(458),
  lookup_dcookie: numbers(212, 18),
  mbind: numbers(237, 235),
  memfd_create: numbers(319, 279),
  memfd_secret: sameOnAll(447),
  migrate_pages: numbers(256, 238),
  mknod: numbers(133, undefined),
  mknodat: numbers(259, 33),
  modify_ldt: numbers(154, undefined),
  mount: numbers(165, 40),
  mount_setattr: sameOnAll(442),
  move_mount: sameOnAll(429),
  move_pages: numbers(279, 239),
  msgget: numbers(68, 186),
  name_to_handle_at: numbers(303, 264),
  nfsservctl: numbers(180, 42),
  open: numbers(2, undefined),
  open_by_handle_at: numbers(304, 265),
  open_tree: sameOnAll(428),
  openat: numbers(257, 56),
  openat2: sameOnAll(437),
  perf_event_open: numbers(298, 241),
  personality: numbers(135, 92),
  pidfd_getfd: sameOnAll(438),
  pivot_root: numbers(155, 41),
  process_madvise: sameOnAll(440),
  process_vm_readv: numbers(310, 270),
  process_vm_writev: numbers(311, 271),
  ptrace: numbers(101, 117),
  query_module: numbers(178, undefined),
  quotactl: numbers(179, 60),
  quotactl_fd: sameOnAll(443),
  reboot: numbers(169, 142),
  remap_file_pages: numbers(216, 234),
  request_key: numbers(249, 218),
  semget: numbers(64, 190),
  set_mempolicy: numbers(238, 237),
  set_mempolicy_home_node: sameOnAll(450),
  setdomainname: numbers(171, 162),
  sethostname: numbers(170, 161),
  setns: numbers(308, 268),
  settimeofday: numbers(164, 170),
  shmget: numbers(29, 194),
  socket: numbers(41, 198),
  socketpair: numbers(53, 199),
  statmount: sameOnAll(457),
  swapoff: numbers(168, 225),
  swapon: numbers(167, 224),
  sysfs: numbers(139, undefined),
  syslog: numbers(103, 116),
  umount2: numbers(166, 39),
  unshare: numbers(272, 97),
  uselib: numbers(134, undefined),
  userfaultfd: numbers(323, 282),
  ustat: numbers(136, undefined),
  vhangup: numbers(153, 58),
} as const satisfies Readonly<Record<string, Numbers>>;

export type SyscallName = keyof typeof syscallNumbers;
