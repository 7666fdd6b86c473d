import { nearnessOf } from '../addresses.ts';
import type { Call } from './call.ts';

/** Options whose value is a command line, in whatever program: `sort --compress-program=…`, `split --filter=…`. */
const RUNS =
  /^--(?:compress-program|use-compress-program|to-command|filter|rsh|rsync-path|eval|shell|exec|exec-batch|run|pre|preprocess|pager|editor|on-change|info-script|new-volume-script|unzip-command|unix-command)=(?=.)/;
/** Programs whose short option has such a value. */
const SHORT: Readonly<Record<string, string>> = { rsync: '-e', scp: '-S', sftp: '-S', zip: '-TT', fd: '-x', tar: '-F' };
/** Programs to which an address is a text. */
const ONLY_SAYS = new Set(['echo', 'printf', 'grep', 'rg', 'sed', 'awk', 'git', 'export', 'test', '[', '[[', 'env']);
const CONTROLS = /(?:^|[/:=,])(?:docker|containerd|podman|crio|libvirt-sock|system_bus_socket)(?:\.sock)?$/;

/** Reads options that have a program run another one, and reports sockets through which the machine is ruled. */
export function readOptions(call: Call): void {
  const { name, texts, shell } = call;
  const short = SHORT[name];
  const { listening } = shell.world;
  const isOwn = (text: string): boolean => text.includes('://') && nearnessOf(text, listening) === 'own';
  if (listening.length > 0 && !ONLY_SAYS.has(name) && texts.some(isOwn)) shell.report('supervisor');
  for (const [at, text] of texts.entries()) {
    if (CONTROLS.test(text) && /[/:]/.test(text) && !/^(?:ls|stat|test|\[|echo|cd)$/.test(name))
      shell.report('take-machine');
    const value = RUNS.exec(text) ? text.slice(text.indexOf('=') + 1) : undefined;
    const next = short !== undefined && text === short ? texts[at + 1] : undefined;
    const line = value ?? next;
    if (line === undefined || /^(?:blob|tree|object|combine|sparse):/.test(line)) continue;
    shell.read(line, { isScript: false });
    if (/^\s*\S+\s+-\w*c\s/.test(line)) shell.report('injected-program');
  }
}

/** True if a program changes who its file runs as: `install -m 4755`, `mkdir --mode=u+s`. */
export function setsUserId(mode: string): boolean {
  return /^(?:[ugoa]*[+=][rwxX]*s|0*[2467][0-7]{3}$)/.test(mode);
}

/** Commands that stand in the lines which an unknown program is given: `!rm …`, `exec rm …`. */
export function commandsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^\s*(?:[!:\\]+|exec\s|system\s|shell\s)\s*(\S.*)$/.exec(line)?.[1] ?? []);
}

/** True if the dynamic linker is called by its name, which then starts a program. */
export function isLinker(name: string): boolean {
  return /^ld-(?:linux|musl)[\w.-]*\.so/.test(name) || name === 'ld.so';
}
