import type { FindingId } from '../facts/findings.ts';
import type { ShellWord } from '../shell/word.ts';
import { wordSet } from './call.ts';

/** Programs that start the program in their arguments. */
export interface Wrapper {
  /** Options that take a value. */
  readonly values?: string;
  /** Operands in front of the program. */
  readonly operands?: number;
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
  flock: { values: '-w -E', operands: 1 },
  'systemd-run': { values: '-u -p --unit --property --on-calendar', report: 'later' },
  runuser: { values: '-u', isRoot: true, report: 'administrator' },
  strace: { values: '-e -o -p -s -u' },
  ltrace: { values: '-e -o -p -s -u' },
  firejail: {},
  'xvfb-run': { values: '-n -s -a' },
  'dbus-run-session': {},
  faketime: { operands: 1 },
  rlwrap: {},
  proxychains: {},
  torsocks: {},
  catchsegv: {},
  setarch: { operands: 1 },
  taskset: { operands: 1 },
  chrt: { operands: 1 },
  numactl: {},
  prlimit: {},
  cgexec: { values: '-g' },
  direnv: { operands: 2 },
  dotenv: { values: '-e -f' },
  'cross-env': {},
  xargs: { values: '-I -i -n -P -L -d -s -a -E -J -R --max-args --max-procs --arg-file --delimiter' },
  parallel: { values: '-j -N -n -a --jobs --colsep' },
  watch: { values: '-n -d --interval' },
  entr: {},
  hyperfine: { values: '-w -r -n' },
};

/** Words of the program that a wrapper starts. */
export function unwrapped(words: readonly ShellWord[], { values = '', operands = 0 }: Wrapper): readonly ShellWord[] {
  const withValue = wordSet(values);
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
      continue;
    }
    if (skip === 0) break;
    skip -= 1;
  }
  return words.slice(at);
}
