import type { FindingId } from '../findings.ts';
import { UNKNOWN } from '../places.ts';
import { NOTHING_KNOWN, type Output, plainWord, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, type Program, valueOf, wordSet } from './call.ts';

/** Programs that start the program in their arguments. */
interface Wrapper {
  /** Options that take a value. */
  readonly values?: string;
  /** Operands in front of the program. */
  readonly operands?: number;
  readonly report?: FindingId;
  readonly isRoot?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
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

const SHELL_TEXT = wordSet('watch hyperfine parallel');

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

const wrapper: Program = (call) => {
  const { name, shell, input } = call;
  const spec = WRAPPERS[name] as Wrapper;
  if (name.endsWith('trace') && valueOf(call, '-p', '--attach') !== undefined) shell.report('process-memory');
  if (call.texts.some((text) => text === '--help' || text === '--version')) return undefined;
  let rest = unwrapped(call.words, spec);
  if (spec.isRoot === true && isOnlyAsking(call)) return undefined;
  if (spec.isRoot === true && hasOption(call.texts.slice(0, call.texts.length - rest.length), 'is', 'login'))
    shell.report('root-shell');
  if (spec.report) shell.report(spec.report);
  if (name === 'env' || spec.isRoot === true || name === 'cross-env' || name === 'dotenv')
    rest = afterAssignments(call, rest);
  if (rest.length === 0 && name === 'xargs') rest = [plainWord('echo')];
  if (rest.length === 0) return name === 'env' ? { text: undefined, origin: 4 } : undefined;
  const outer = shell.isRoot;
  shell.isRoot ||= spec.isRoot === true;
  const output = started(call, rest, input);
  shell.isRoot = outer;
  return output;
};

function isOnlyAsking({ texts, words }: Call): boolean {
  return words.length === 0 || texts.every((text) => /^-[lvkKnA]+$/.test(text));
}

function started(call: Call, rest: readonly ShellWord[], input: Output | undefined): Output {
  const { name, shell } = call;
  if (name === 'xargs') return fed(call, rest);
  if (name === 'command' && hasOption(call.texts, 'vV', 'command')) return NOTHING_KNOWN;
  if (SHELL_TEXT.has(name) && rest.length === 1) return shell.read(rest[0]?.text ?? '', { input });
  if (name === 'parallel') {
    const at = rest.findIndex(({ text }) => text === ':::' || text === '::::');
    const program = at === -1 ? rest : rest.slice(0, at);
    const given = at === -1 ? [plainWord(UNKNOWN)] : rest.slice(at + 1);
    return shell.run([...program, ...given], input);
  }
  return shell.run(rest, input);
}

/** `xargs`: what it is given are the last arguments, or stand where `{}` stands. */
function fed(call: Call, rest: readonly ShellWord[]): Output {
  const { shell, input, texts } = call;
  const text = input?.text;
  const isList = text !== undefined && text.length < 2000;
  const words: readonly ShellWord[] = isList
    ? text
        .split(/\s+/)
        .filter((one) => one !== '')
        .slice(0, 40)
        .map((one) => ({ text: one, origin: input?.origin ?? 0 }))
    : [{ text: UNKNOWN, origin: input?.origin ?? 0 }];
  const at = texts.findIndex((one) => /^-[IiJ]/.test(one));
  const file = texts.indexOf('-a') === -1 ? undefined : texts[texts.indexOf('-a') + 1];
  if (file !== undefined) shell.run([plainWord('cat'), plainWord(file)], undefined);
  if (at === -1) return shell.run([...rest, ...words], undefined);
  const mark = texts[at]?.slice(2) || (texts[at] === '-I' || texts[at] === '-J' ? texts[at + 1] : '{}') || '{}';
  const value = words.length === 1 ? (words[0] as ShellWord) : { text: UNKNOWN, origin: input?.origin ?? 0 };
  return shell.run(
    rest.map((word) =>
      word.text.includes(mark)
        ? { text: word.text.replaceAll(mark, value.text), origin: word.origin | value.origin }
        : word,
    ),
    undefined,
  );
}

const RUNS_TEXT =
  /^(?:GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|SUDO_ASKPASS|SSH_ASKPASS|FCEDIT|RSYNC_RSH|TAR_OPTIONS|SHELLOPTS|PS4)$/;
const LOADS_CODE =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|GIT_EXEC_PATH|GIT_CONFIG_\w+|PERL5LIB|RUBYLIB)$/;
const HARMLESS_PROGRAM = /^(?:true|false|cat|less(?: -\w+)*|more|vi|vim|nano|emacs|code(?: --wait)?|ssh(?: -\w+)*|:|)$/;

/** Sets variables, and reports those by which another program is run. */
export function assign(call: Pick<Call, 'shell'>, assignment: ShellWord): void {
  const at = assignment.text.indexOf('=');
  const name = assignment.text.slice(0, at);
  const value = assignment.text.slice(at + 1);
  call.shell.variables.set(name, { text: value, origin: assignment.origin });
  if (name === 'HISTFILE') call.shell.report('hide-traces');
  if (LOADS_CODE.test(name) && value !== '') call.shell.report('injected-program');
  if (name === 'NODE_OPTIONS' && /--(?:require|import|loader|inspect)|-r\b/.test(value))
    call.shell.report('injected-program');
  if (name === 'PATH' && /(?:^|:)(?:\/tmp|\/var\/tmp|\/dev\/shm)/.test(value)) call.shell.report('injected-program');
  if (!RUNS_TEXT.test(name) || HARMLESS_PROGRAM.test(value)) return;
  if (value.includes(' ') || value.includes('/')) {
    call.shell.report('injected-program');
    call.shell.read(value, { isScript: false });
  }
}

function afterAssignments(call: Call, words: readonly ShellWord[]): readonly ShellWord[] {
  let at = 0;
  while (at < words.length && /^[A-Za-z_]\w*=/.test(words[at]?.text ?? '')) {
    assign(call, words[at] as ShellWord);
    at += 1;
  }
  const split = call.texts.findIndex((text) => text === '-S' || text.startsWith('--split-string'));
  if (split !== -1 && call.name === 'env') {
    const text = call.texts[split] === '-S' ? (call.texts[split + 1] ?? '') : (call.texts[split]?.slice(15) ?? '');
    call.shell.read(text);
  }
  return words.slice(at);
}

/** Programs that start others. */
export const wrapperPrograms: Readonly<Record<string, Program>> = Object.fromEntries(
  Object.keys(WRAPPERS).map((name) => [name, wrapper]),
);
