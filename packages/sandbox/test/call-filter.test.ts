import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { callFilter, type FilterOptions } from '../src/call-filter.ts';
import { assembled, ifEqual, loadNumber, refuse } from '../src/bpf.ts';
import { CALLS } from '../src/system-calls.ts';
import { judged } from './judged.ts';

// linux/audit.h
const [X86_64, I386, AARCH64, ARM, RISCV64] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028, 0xc00000f3] as const;
const [CREATE, TEMPORARY] = [0o101, 0o20_200_002] as const;
const OPEN: FilterOptions = { sharesNetwork: true, passesGroupsOn: false };
const CLOSED: FilterOptions = { sharesNetwork: false, passesGroupsOn: false };

/** Returns the verdict on a call of a program on this machine. */
function verdict(
  abi: number,
  number: number,
  args: readonly (number | bigint)[] = [],
  options: FilterOptions = OPEN,
): string {
  const filter = callFilter(options, abi === X86_64 || abi === I386 ? 'x64' : 'arm64');
  if (filter === undefined) throw new Error('expected a filter');
  return judged(filter, { abi, number, args });
}

/** The numbers of calls in each ABI, and the place of the mode in them. From the tables of the kernel. */
const MODES = [
  ['chmod', 1, { [X86_64]: 90, [I386]: 15, [ARM]: 15 }],
  ['fchmod', 1, { [X86_64]: 91, [I386]: 94, [AARCH64]: 52, [ARM]: 94 }],
  ['fchmodat', 2, { [X86_64]: 268, [I386]: 306, [AARCH64]: 53, [ARM]: 333 }],
  ['fchmodat2', 2, { [X86_64]: 452, [I386]: 452, [AARCH64]: 452, [ARM]: 452 }],
  ['creat', 1, { [X86_64]: 85, [I386]: 8, [ARM]: 8 }],
  ['mknod', 1, { [X86_64]: 133, [I386]: 14, [ARM]: 14 }],
  ['mknodat', 2, { [X86_64]: 259, [I386]: 297, [AARCH64]: 33, [ARM]: 324 }],
] as const;

describe('bits by which a file runs as its owner or group', () => {
  test.each(MODES)('%s is refused with them, and allowed without, in each ABI', (_, at, numbers) => {
    const args = (mode: number | bigint): (number | bigint)[] => [0, 0, 0].with(at, mode as number);
    for (const [abi, number] of Object.entries(numbers).map(([key, value]) => [Number(key), value] as const)) {
      for (const mode of [0o4755, 0o2755, 0o6000, 0o107777, 0xff_ff_00_00n + 0o4000n, (1n << 40n) + 0o2000n])
        expect([abi, mode, verdict(abi, number, args(mode))]).toEqual([abi, mode, 'EPERM']);
      for (const mode of [0o755, 0o1777, 0o100644, 0, 1n << 43n])
        expect([abi, mode, verdict(abi, number, args(mode))]).toEqual([abi, mode, 'allowed']);
    }
  });

  test.each([
    ['open', 1, { [X86_64]: 2, [I386]: 5, [ARM]: 5 }],
    ['openat', 2, { [X86_64]: 257, [I386]: 295, [AARCH64]: 56, [ARM]: 322 }],
    ['mq_open', 1, { [X86_64]: 240, [I386]: 277, [AARCH64]: 180, [ARM]: 274 }],
  ] as const)('%s is refused with them only if it makes a file, because other opens have no mode', (_, at, numbers) => {
    const args = (flags: number, mode: number): number[] => [0, 0, 0, 0].with(at, flags).with(at + 1, mode);
    for (const [abi, number] of Object.entries(numbers).map(([key, value]) => [Number(key), value] as const)) {
      for (const flags of [CREATE, TEMPORARY]) {
        expect([abi, flags, verdict(abi, number, args(flags, 0o4644))]).toEqual([abi, flags, 'EPERM']);
        expect([abi, flags, verdict(abi, number, args(flags, 0o1644))]).toEqual([abi, flags, 'allowed']);
      }
      // O_RDWR, O_DIRECTORY, O_TRUNC and what was left in the place of the mode
      expect(verdict(abi, number, args(0o201002, 0o4755))).toBe('allowed');
    }
  });

  test('the bit of the group alone is allowed where folders pass their group on', () => {
    const passing = { ...OPEN, passesGroupsOn: true };
    expect(verdict(X86_64, 90, [0, 0o2755], passing)).toBe('allowed');
    expect(verdict(X86_64, 257, [0, 0, CREATE, 0o2755], passing)).toBe('allowed');
    expect(verdict(X86_64, 90, [0, 0o4755], passing)).toBe('EPERM');
    expect(verdict(AARCH64, 53, [0, 0, 0o6755], passing)).toBe('EPERM');
  });
});

describe('calls that are refused as a whole', () => {
  test.each([
    ['openat2, whose mode is behind a pointer', [437, 437, 437, 437], 'ENOSYS'],
    ['io_uring_setup, which opens files past filters', [425, 425, 425, 425], 'ENOSYS'],
    ['add_key', [248, 286, 217, 309], 'ENOSYS'],
    ['request_key', [249, 287, 218, 310], 'ENOSYS'],
    ['keyctl', [250, 288, 219, 311], 'ENOSYS'],
    ['bpf', [321, 357, 280, 386], 'EPERM'],
    ['perf_event_open', [298, 336, 241, 364], 'EPERM'],
    ['open_by_handle_at', [304, 342, 265, 371], 'EPERM'],
    ['userfaultfd', [323, 374, 282, 388], 'EPERM'],
  ] as const)('%s is refused in each ABI', (_, numbers, error) => {
    const found = [X86_64, I386, AARCH64, ARM].map((abi, at) => verdict(abi, numbers[at] as number));
    expect(found).toEqual([error, error, error, error]);
  });

  test('all other calls are allowed, and so is what a debugger took away', () => {
    for (const [abi, column] of [
      [X86_64, 'x64'],
      [I386, 'ia32'],
      [AARCH64, 'arm64'],
      [ARM, 'arm'],
    ] as const) {
      const named = new Set(Object.values(CALLS).map((numbers) => numbers[column]));
      const others = Array.from({ length: 512 }, (_, number) => number).filter((number) => !named.has(number));
      expect(others.length).toBeGreaterThan(480);
      expect(others.filter((number) => verdict(abi, number) !== 'allowed')).toEqual([]);
      expect(verdict(abi, 0xffffffff)).toBe('allowed');
    }
  });
});

test('letters typed into a terminal are refused, whatever the upper half of the command is', () => {
  for (const [abi, number] of [
    [X86_64, 16],
    [I386, 54],
    [AARCH64, 29],
    [ARM, 54],
  ] as const) {
    for (const command of [0x5412, 0x541c, (1n << 32n) + 0x5412n])
      expect([abi, verdict(abi, number, [0, command])]).toEqual([abi, 'EPERM']);
    // TCGETS, TIOCGWINSZ, FIONREAD, FICLONE
    for (const command of [0x5401, 0x5413, 0x541b, 0x40049409])
      expect(verdict(abi, number, [0, command])).toBe('allowed');
  }
});

describe('sockets', () => {
  const SOCKETS = [
    [X86_64, 41],
    [I386, 359],
    [AARCH64, 198],
    [ARM, 281],
  ] as const;

  test.each(SOCKETS)('a program with a network of its own has only families of it: %i', (abi, number) => {
    // AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
    for (const family of [1, 2, 10, 16]) expect(verdict(abi, number, [family, 1], CLOSED)).toBe('allowed');
    // AF_PACKET, AF_ALG, AF_VSOCK, AF_QIPCRTR
    for (const family of [17, 38, 40, 42, (1n << 32n) + 40n])
      expect(verdict(abi, number, [family, 1], CLOSED)).toBe('EAFNOSUPPORT');
  });

  test.each(SOCKETS)('a program with the network of the machine has all families but AF_ALG: %i', (abi, number) => {
    for (const family of [1, 2, 10, 16, 17, 40]) expect(verdict(abi, number, [family, 1])).toBe('allowed');
    expect(verdict(abi, number, [38, 5])).toBe('EAFNOSUPPORT');
  });

  test('a program of 32 bits makes no socket by a call that hides the family, and uses sockets by it', () => {
    for (const options of [OPEN, CLOSED]) {
      expect(verdict(I386, 102, [1, 0], options)).toBe('ENOSYS');
      // bind, socketpair, sendmsg
      for (const call of [2, 8, 16]) expect(verdict(I386, 102, [call, 0], options)).toBe('allowed');
    }
  });
});

test('x32 is refused on a machine with x86-64, by both of its ranges', () => {
  for (const number of [0x40000000, 0x4000005a, 0x7fffffff, 0xfffffffe, 512, 514, 547])
    expect([number, verdict(X86_64, number)]).toEqual([number, 'ENOSYS']);
  for (const number of [511, 548]) expect(verdict(X86_64, number)).toBe('allowed');
  // ARM's own calls have high numbers
  expect(verdict(ARM, 0xf0005)).toBe('allowed');
});

test('an ABI that the machine does not have is refused', () => {
  for (const number of [0, 1, 15, 90]) expect(verdict(RISCV64, number)).toBe('ENOSYS');
  const ofIntel = callFilter(OPEN, 'x64');
  expect(ofIntel && judged(ofIntel, { abi: AARCH64, number: 63 })).toBe('ENOSYS');
});

test('a machine whose calls are not known has no filter, and a Node.js of 32 bits has that of the kernel', () => {
  expect(callFilter(OPEN, 'riscv64')).toBeUndefined();
  expect(callFilter(OPEN, 'ia32')).toEqual(callFilter(OPEN, 'x64'));
  expect(callFilter(OPEN, 'arm')).toEqual(callFilter(OPEN, 'arm64'));
});

test('a comparison with too much behind it is refused when the filter is made', () => {
  const long = Array.from({ length: 256 }, () => refuse(1)).flat();
  expect(() => assembled([...loadNumber, ...ifEqual(1, long)])).toThrow(/at most 255 instructions.*found 256/);
});

const HEADERS = [
  ['x64', '/usr/include/x86_64-linux-gnu/asm/unistd_64.h'],
  ['ia32', '/usr/include/x86_64-linux-gnu/asm/unistd_32.h'],
  ['arm64', '/usr/include/asm-generic/unistd.h'],
] as const;

const HERE = HEADERS.filter(([, path]) => existsSync(path));

test.each(HERE)('the numbers of %s are those of the headers of the system, as far as it has them', (abi, path) => {
  const header = readFileSync(path, 'utf8');
  // a header may be older than a call
  const listed = Object.entries(CALLS).flatMap(([name, numbers]) => {
    const [, number] = new RegExp(String.raw`^#define __NR_${name}\s+(\d+)$`, 'm').exec(header) ?? [];
    return number === undefined ? [] : [[name, Number(number), numbers[abi]] as const];
  });
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter(([, number, ours]) => number !== ours)).toEqual([]);
});
