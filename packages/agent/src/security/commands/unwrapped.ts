import type { FindingId } from '../facts/findings.ts';
import type { ShellWord } from '../shell/word.ts';
import { wordSet } from './call.ts';

/** Programs that start the program in their arguments. */
export interface Wrapper {
  /** Options that take a value. */
  readonly values?: string;
  /** Options that take two values. */
  readonly pairs?: string;
  /** Operands in front of the program. */
  readonly operands?: number;
  /** An operand in front of the program that may be left out. */
  readonly operand?: RegExp;
  /** Options whose value is a command line of a shell. */
  readonly script?: RegExp;
  readonly report?: FindingId;
  readonly isRoot?: boolean;
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: '-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir',
    isRoot: true,
    report: 'administrator',
  },
  doas: { values: '-u -C', isRoot: true, report: 'administrator' },
  pkexec: { values: '--user', isRoot: true, report: 'administrator' },
  env: { values: '-u -C --unset --chdir' },
  nice: { values: '-n --adjustment' },
  ionice: { values: '-c -n -p' },
  timeout: { values: '-k -s --kill-after --signal', operands: 1 },
  gtimeout: { values: '-k -s', operands: 1 },
  nohup: {},
  setsid: {},
  stdbuf: { values: '-i -o -e' },
  unbuffer: {},
  time: { values: '-f -o' },
  command: {},
  builtin: {},
  exec: { values: '-a' },
  caffeinate: { values: '-t -w' },
  busybox: {},
  toybox: {},
  chroot: { values: '--userspec --groups', operands: 1, report: 'take-machine' },
  unshare: { report: 'machine' },
  nsenter: { values: '-t -S -G --target', report: 'take-machine' },
  flock: { values: '-w -E', operands: 1, script: /^(?:-[a-z]*c|--command(?:=|$))(.*)$/s },
  'systemd-run': { values: '-u -p --unit --property --on-calendar', report: 'later' },
  runuser: { values: '-u', isRoot: true, report: 'administrator' },
  strace: { values: '-e -o -p -s -u' },
  ltrace: { values: '-e -o -p -s -u' },
  firejail: {},
  'xvfb-run': { values: '-n -s -e -f -p -w --server-num --server-args --error-file --auth-file' },
  'dbus-run-session': {},
  faketime: { operands: 1 },
  rlwrap: {},
  proxychains: {},
  torsocks: {},
  catchsegv: {},
  setarch: {
    operand: /^(?:x86_64|x86|i\d86|linux\d\d|aarch64|arm\w*|uname26|ppc\w*|s390x?|mips\w*|riscv\w*|sparc\w*|ia64)$/,
  },
  linux64: {},
  linux32: {},
  x86_64: {},
  i386: {},
  uname26: {},
  arch: {},
  taskset: { operands: 1 },
  chrt: { operands: 1 },
  numactl: {},
  prlimit: {},
  cgexec: { values: '-g' },
  direnv: { operands: 2 },
  dotenv: { values: '-e -f' },
  'cross-env': {},
  xargs: { values: '-I -n -P -L -d -s -a -E -J -R --max-args --max-procs --arg-file --delimiter' },
  parallel: { values: '-j -N -n -a --jobs --colsep' },
  watch: { values: '-n -q --interval --equexit' },
  entr: { script: /^-[a-z]*s()$/ },
  perf: { values: '-e -o -F -p -t -C -c -r -I -G', operands: 1 },
  valgrind: {},
  heaptrack: {},
  rr: { operand: /^record$/ },
  uftrace: { values: '-F -N -D -d', operand: /^(?:record|live)$/ },
  gdb: { values: '-x -ex -iex -d -p -ix --command --eval-command' },
  cgdb: {},
  lldb: { values: '-o -O -s -S -k -K' },
  cpulimit: { values: '-l -p -e -P --limit' },
  proot: { values: '-r -b -w -q -k -R -S -m --rootfs --bind --cwd --pwd --qemu --kernel-release' },
  fakeroot: { values: '-l -s -i -b --lib --faked' },
  fakechroot: { values: '-l -s -d -e -b -c' },
  bwrap: {
    values:
      '--dev --proc --tmpfs --mqueue --dir --chdir --unsetenv --uid --gid --hostname --lock-file --sync-fd --exec-label --file-label --seccomp --args --perms --size --cap-add --cap-drop --info-fd --block-fd --userns --pidns',
    pairs:
      '--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --symlink --setenv --file --bind-data --ro-bind-data --chmod --bind-fd --ro-bind-fd',
  },
  'systemd-inhibit': { values: '--what --who --why --mode' },
  'systemd-cat': { values: '-t -p' },
  tini: { values: '-p -e' },
  'dumb-init': { values: '-r' },
  'su-exec': { operands: 1, isRoot: true, report: 'administrator' },
  gosu: { operands: 1, isRoot: true, report: 'administrator' },
  setpriv: {},
  chpst: { values: '-u -U -b -m -d -o -p -f -c -r -t -e -n -l -L -/' },
  softlimit: { values: '-a -c -d -f -l -m -o -p -r -s -t' },
  setuidgid: { operands: 1 },
  eatmydata: {},
  chronic: {},
  proxychains4: { values: '-f' },
  tsocks: {},
  torify: {},
  trickle: { values: '-d -u -w -t -l' },
  winpty: {},
  wine: {},
  scl: { values: '-X', operand: /^(?:enable|run|load)$/, operands: 1 },
  hyperfine: {
    values:
      '-w -r -m -M -n -p -s -c -C -S -N -L -P -D -u -i --warmup --runs --min-runs --max-runs --command-name --prepare --setup --cleanup --conclude --shell --export-json --export-csv --export-markdown --style --input --output',
  },
};

/** Words of the program that a wrapper starts. */
export function unwrapped(words: readonly ShellWord[], wrapper: Wrapper): readonly ShellWord[] {
  const { values = '', pairs = '', operands = 0, operand } = wrapper;
  const withValue = wordSet(values);
  const withPair = wordSet(pairs);
  let isFirst = true;
  let at = 0;
  let skip = operands;
  for (; at < words.length; at += 1) {
    const { text } = words[at] as ShellWord;
    if (text === '--') {
      at += 1;
      break;
    }
    if (text.startsWith('-')) {
      if (withValue.has(text)) at += 1;
      else if (withPair.has(text)) at += 2;
      continue;
    }
    const isOptional = isFirst && operand?.test(text) === true;
    isFirst = false;
    if (isOptional) continue;
    if (skip === 0) break;
    skip -= 1;
  }
  return words.slice(at);
}

/** Returns the command line of a shell that an option of a wrapper gives. */
export function scriptOf(words: readonly ShellWord[], option: RegExp): ShellWord | undefined {
  for (const [at, word] of words.entries()) {
    const [text, joined = ''] = option.exec(word.text) ?? [];
    if (text !== undefined) return joined === '' ? words[at + 1] : { ...word, text: joined };
  }
  return undefined;
}
