import { nearnessOf } from '../facts/addresses.ts';
import type { ShellReader } from '../shell/reader.ts';
import type { Call } from './call.ts';

/** Options whose value is a command line, in whatever program: `sort --compress-program=…`, `split --filter=…`. */
const RUNS =
  /^--(?:compress-program|use-compress-program|to-command|filter|rsh|rsync-path|eval|shell|exec|exec-batch|run|pre|preprocess|pager|editor|on-change|info-script|new-volume-script|unzip-command|unix-command)=(?=.)/;
/** Programs whose short option has such a value. */
const SHORT: Readonly<Record<string, string>> = { rsync: '-e', scp: '-S', sftp: '-S', zip: '-TT', fd: '-x', tar: '-F' };
/** Programs that treat an address as plain text. */
const ONLY_SAYS = new Set(['echo', 'printf', 'grep', 'rg', 'sed', 'awk', 'git', 'export', 'test', '[', '[[', 'env']);
const SOCKET = /(?:^|[/:=,])(?:docker|containerd|podman|crio|libvirt-sock|system_bus_socket)(?:\.sock)?$/;

/** Codes of the letters that these names end with. */
const SOCKET_ENDS = new Set(Array.from('kdnorst', (letter) => letter.charCodeAt(0)));
/** Programs that inspect a socket without connecting to it. */
const LOOKS_ONLY = new Set(['ls', 'stat', 'test', '[', 'echo', 'cd']);
/** Matches the command line of a shell, whichever program gets it. */
const SHELL_COMMAND = /^\s*(?:\/\S*\/)?(?:ba|da|z|k|a)?sh\s+-\w*c\s/;
const DASH = 45;
const NO_COMMAND = /^(?:blob|tree|object|combine|sparse):/;

/** Rules by which the options of a program are read. */
export interface OptionRules {
  readonly short: string | undefined;
  readonly onlySays: boolean;
  readonly looksOnly: boolean;
}

/** Rules for the options of the program of this name. */
export function optionRules(name: string): OptionRules {
  return { short: SHORT[name], onlySays: ONLY_SAYS.has(name), looksOnly: LOOKS_ONLY.has(name) };
}

/** Reads options by which a program runs another program, and reports sockets that control the machine. */
export function readOptions({ texts, shell }: Call, { short, onlySays, looksOnly }: OptionRules): void {
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] as string;
    if (!looksOnly && isSocket(text)) shell.report('take-machine');
    if (!onlySays && text.includes('://') && isOwnServer(text, shell)) shell.report('supervisor');
    if (!onlySays && text.includes('sh -') && SHELL_COMMAND.test(text)) shell.read(text, { isScript: false });
    const isShort = short !== undefined && text === short;
    if (isShort || (text.charCodeAt(0) === DASH && text.charCodeAt(1) === DASH))
      readValue(isShort ? texts[at + 1] : joinedCommand(text), shell);
  }
}

function isSocket(text: string): boolean {
  return text.length > 6 && SOCKET_ENDS.has(text.charCodeAt(text.length - 1)) && SOCKET.test(text) && /[/:]/.test(text);
}

function isOwnServer(text: string, shell: ShellReader): boolean {
  const { listening } = shell.world;
  return listening.length > 0 && nearnessOf(text, listening) === 'own';
}

function joinedCommand(text: string): string | undefined {
  return RUNS.test(text) ? text.slice(text.indexOf('=') + 1) : undefined;
}

function readValue(line: string | undefined, shell: ShellReader): void {
  if (line === undefined || NO_COMMAND.test(line)) return;
  shell.read(line, { isScript: false });
  if (/^\s*\S+\s+-\w*c\s/.test(line)) shell.report('injected-program');
}

/** True if a program changes who its file runs as: `install -m 4755`, `mkdir --mode=u+s`. */
export function setsUserId(mode: string): boolean {
  return /^(?:[ugoa]*[+=][rwxX]*s|0*[2467][0-7]{3}$)/.test(mode);
}

/** Returns the commands in lines for an unknown program: `!rm …`, `exec rm …`. */
export function commandsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^\s*(?:[!:\\]+|exec\s|system\s|shell\s)\s*(\S.*)$/.exec(line)?.[1] ?? []);
}

/** True if the dynamic linker is called by its name, which then starts a program. */
export function isLinker(name: string): boolean {
  return /^ld-(?:linux|musl)[\w.-]*\.so/.test(name) || name === 'ld.so';
}
