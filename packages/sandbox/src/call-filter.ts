import { endianness } from 'node:os';

import {
  allow,
  assembled,
  ifAnyBit,
  ifAtLeast,
  ifBelow,
  ifEqual,
  ifNoneOf,
  loadAbi,
  loadArgument,
  loadNumber,
  refuse,
  type Program,
} from './bpf.ts';
import { AUDIT, CALLS, type Abi, type CallName } from './system-calls.ts';

// A filter is run by the kernel at each system call of a program, and of all that it starts, and cannot be taken away. It sees the number and
// the arguments of a call, but not what a pointer among them leads to. A call that hides its flags behind a pointer is refused as a whole.

/** The errors of refused calls, by which programs know them: no right, a kernel without the call, and one without the family of sockets. */
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97] as const;

const [S_ISUID, S_ISGID] = [0o4000, 0o2000] as const;
/** The flags with which `open` makes a file, and only then has a mode. */
const [O_CREAT, O_TMPFILE] = [0o100, 0o20_000_000] as const;
/** Commands that put letters into the input of a terminal. */
const [TIOCSTI, TIOCLINUX] = [0x54_12, 0x54_1c] as const;
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_ALG] = [1, 2, 10, 16, 38] as const;
/** The call in `socketcall` that makes a socket. */
const SYS_SOCKET = 1;

/** Numbers with this bit are those of x32, a third ABI on a machine with x86-64. Its calls that have no such bit lie in a range. */
const X32 = 0x40_00_00_00;
const [X32_FIRST, X32_BEHIND] = [512, 548] as const;
/** The number of a call that a debugger has taken away. */
const NO_CALL = 0xff_ff_ff_ff;

/** The facts on which a filter depends. */
export interface FilterOptions {
  /** True if programs have the network of this machine. */
  readonly sharesNetwork: boolean;
  /** True if folders in which programs write pass their group on, as by `chmod g+s`. Tools copy the bit with the other rights of a folder. */
  readonly passesGroupsOn: boolean;
}

/** Returns the filter of system calls for programs on this machine; `undefined` on a machine whose numbers of calls are not known. */
export function callFilter(options: FilterOptions, machine: string = process.arch): Uint8Array | undefined {
  if (endianness() !== 'LE') return undefined;
  const rules = rulesOf(options);
  switch (machine) {
    // a Node.js of 32 bits may run on a kernel of 64
    case 'x64':
    case 'ia32':
      return assembled([...loadAbi, ...inAbi('x64', rules, withoutX32), ...inAbi('ia32', rules), ...unknown]);
    case 'arm64':
    case 'arm':
      return assembled([...loadAbi, ...inAbi('arm64', rules), ...inAbi('arm', rules), ...unknown]);
    default:
      return undefined;
  }
}

/** The verdict on calls of an ABI that is not known. */
const unknown = refuse(ENOSYS);

/** Refuses x32, which few kernels have and no program of a system uses. */
const withoutX32: Program = [
  ...ifEqual(NO_CALL, allow),
  ...ifAtLeast(X32, refuse(ENOSYS)),
  ...ifAtLeast(X32_FIRST, ifBelow(X32_BEHIND, refuse(ENOSYS))),
];

/** A rule for a system call. */
type Rule = readonly [name: CallName, then: Program];

/** Returns the verdicts on system calls. All other calls are allowed. */
function rulesOf({ sharesNetwork, passesGroupsOn }: FilterOptions): readonly Rule[] {
  const bits = passesGroupsOn ? S_ISUID : S_ISUID | S_ISGID;
  const inMode = (at: number): Program => [...loadArgument(at), ...ifAnyBit(bits, refuse(EPERM))];
  const inNewMode = (flags: number): Program => [
    ...loadArgument(flags),
    ...ifAnyBit(O_CREAT | O_TMPFILE, inMode(flags + 1)),
  ];
  const families = sharesNetwork
    ? ifEqual(AF_ALG, refuse(EAFNOSUPPORT))
    : ifNoneOf([AF_UNIX, AF_INET, AF_INET6, AF_NETLINK], refuse(EAFNOSUPPORT));
  return [
    // A program would leave a file that runs with the rights of its owner or group for other users of the machine. The kernel ignores the bits in `mkdir`.
    ['chmod', inMode(1)],
    ['fchmod', inMode(1)],
    ['fchmodat', inMode(2)],
    ['fchmodat2', inMode(2)],
    ['open', inNewMode(1)],
    ['openat', inNewMode(2)],
    ['creat', inMode(1)],
    ['mknod', inMode(1)],
    ['mknodat', inMode(2)],
    // a queue becomes a file where a file system of the program's own lies over queues
    ['mq_open', inNewMode(1)],
    // These make files too, and a filter does not see their modes. Programs then use `openat`, and threads of their own.
    ['openat2', refuse(ENOSYS)],
    ['io_uring_setup', refuse(ENOSYS)],
    // keys of the session in which this process was started
    ['keyctl', refuse(ENOSYS)],
    ['add_key', refuse(ENOSYS)],
    ['request_key', refuse(ENOSYS)],
    // Letters that a program types into a terminal are read by the shell of its user.
    ['ioctl', [...loadArgument(1), ...ifEqual(TIOCSTI, refuse(EPERM)), ...ifEqual(TIOCLINUX, refuse(EPERM))]],
    // Virtual machines (AF_VSOCK) and modems are reached past a network. By AF_ALG a program has changed files in memory that it could only read.
    ['socket', [...loadArgument(0), ...families]],
    // The family is behind a pointer. Programs of 32 bits have `socket` since Linux 4.3.
    ['socketcall', [...loadArgument(0), ...ifEqual(SYS_SOCKET, refuse(ENOSYS))]],
    // code and counters in the kernel, files by their numbers, and stops in the middle of the kernel's reads: few programs use them, and exploits do
    ['bpf', refuse(EPERM)],
    ['perf_event_open', refuse(EPERM)],
    ['open_by_handle_at', refuse(EPERM)],
    ['userfaultfd', refuse(EPERM)],
  ];
}

/** Returns the verdicts on calls of one ABI. `first`: what comes before the rules. */
function inAbi(abi: Abi, rules: readonly Rule[], first: Program = []): Program {
  const named = rules.flatMap(([name, then]): Program => {
    const number = CALLS[name][abi];
    return number === undefined ? [] : ifEqual(number, [...then, ...allow]);
  });
  return ifEqual(AUDIT[abi], [...loadNumber, ...first, ...named, ...allow]);
}
