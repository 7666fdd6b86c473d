/** A convention by which a program asks the kernel, known by the word that a filter sees. Programs of 32 bits have another one than those of 64. */
export type Abi = 'x64' | 'ia32' | 'arm64' | 'arm';

/** The words of linux/audit.h. */
export const AUDIT: Readonly<Record<Abi, number>> = {
  x64: 0xc0_00_00_3e,
  ia32: 0x40_00_00_03,
  arm64: 0xc0_00_00_b7,
  arm: 0x40_00_00_28,
};

/** The numbers of a system call. It has none where the kernel does not know it. */
export type Numbers = Readonly<Partial<Record<Abi, number>>>;

/** The name of a system call that a filter can name. */
export type CallName =
  | 'add_key'
  | 'bpf'
  | 'chmod'
  | 'creat'
  | 'fchmod'
  | 'fchmodat'
  | 'fchmodat2'
  | 'io_uring_setup'
  | 'ioctl'
  | 'keyctl'
  | 'mknod'
  | 'mknodat'
  | 'mq_open'
  | 'open'
  | 'open_by_handle_at'
  | 'openat'
  | 'openat2'
  | 'perf_event_open'
  | 'request_key'
  | 'socket'
  | 'socketcall'
  | 'userfaultfd';

/** The numbers of these system calls. https://www.kernel.org/doc/man-pages and the kernel's files `syscall*.tbl` have them all. */
export const CALLS: Readonly<Record<CallName, Numbers>> = {
  add_key: { x64: 248, ia32: 286, arm64: 217, arm: 309 },
  bpf: { x64: 321, ia32: 357, arm64: 280, arm: 386 },
  chmod: { x64: 90, ia32: 15, arm: 15 },
  creat: { x64: 85, ia32: 8, arm: 8 },
  fchmod: { x64: 91, ia32: 94, arm64: 52, arm: 94 },
  fchmodat: { x64: 268, ia32: 306, arm64: 53, arm: 333 },
  fchmodat2: { x64: 452, ia32: 452, arm64: 452, arm: 452 },
  io_uring_setup: { x64: 425, ia32: 425, arm64: 425, arm: 425 },
  ioctl: { x64: 16, ia32: 54, arm64: 29, arm: 54 },
  keyctl: { x64: 250, ia32: 288, arm64: 219, arm: 311 },
  mknod: { x64: 133, ia32: 14, arm: 14 },
  mknodat: { x64: 259, ia32: 297, arm64: 33, arm: 324 },
  mq_open: { x64: 240, ia32: 277, arm64: 180, arm: 274 },
  open: { x64: 2, ia32: 5, arm: 5 },
  open_by_handle_at: { x64: 304, ia32: 342, arm64: 265, arm: 371 },
  openat: { x64: 257, ia32: 295, arm64: 56, arm: 322 },
  openat2: { x64: 437, ia32: 437, arm64: 437, arm: 437 },
  perf_event_open: { x64: 298, ia32: 336, arm64: 241, arm: 364 },
  request_key: { x64: 249, ia32: 287, arm64: 218, arm: 310 },
  socket: { x64: 41, ia32: 359, arm64: 198, arm: 281 },
  socketcall: { ia32: 102 },
  userfaultfd: { x64: 323, ia32: 374, arm64: 282, arm: 388 },
};
