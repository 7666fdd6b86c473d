import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';

import { type Confinement, ToolError, type ToolResult } from '@conv/core/tool';

import { CommandRunner, type CommandRunnerOptions } from './command-runner.ts';
import { type ShellFacts, toRefusal, toResult } from './terminal-result.ts';

/** `O_PATH` of Linux, which Node.js does not name. */
const O_PATH = 0x20_0000;
/** Milliseconds in which the shell inside tells its variables. */
const TELLING = 10_000;
/** Variables that a shell acts on or sets itself. */
const OF_SHELLS =
  /^(?:BASH.*|PATH|HOME|ENV|IFS|CDPATH|GLOBIGNORE|PROMPT_COMMAND|PS\d|SHELLOPTS|SHLVL|PWD|OLDPWD|TMOUT)$/;

/** A command that a person has allowed to run outside of the sandbox. */
export interface OutsideCommand {
  readonly command: string;
  /** Secrets that it names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Assignments of variables of the shell inside, see {@link variablesOf}. */
  readonly variables: string;
  /** Milliseconds after which it is ended. */
  readonly total: number;
  readonly facts: ShellFacts;
}

/** Options of the shell outside. Its folder is where the shell inside is. */
export type OutsideOptions = Omit<CommandRunnerOptions, 'confinement'> & { readonly confinement: Confinement };

/**
 * Runs a command once in a shell of its own that is not confined. Resolves when the command and all that it started have ended. Rejects with the
 * signal's reason when aborted.
 */
export async function runOutside(
  { command, secrets, variables, total, facts }: OutsideCommand,
  { confinement, ...options }: OutsideOptions,
  signal: AbortSignal,
): Promise<ToolResult> {
  await using folder = await openFolder(confinement.place(options.workingDirectory, 'read'));
  const runner = await CommandRunner.start({ ...options, workingDirectory: folder.path });
  try {
    signal.throwIfAborted();
    if (!(await runner.run(variables + command, secrets, signal)))
      return toRefusal(facts, 'The shell outside of the sandbox did not take the command. Call again.');
    const outcome = await runner.wait({ quiet: Number.POSITIVE_INFINITY, total }, signal);
    signal.throwIfAborted();
    const output = await runner.collect();
    if (outcome === 'timeout') {
      const suffix = `\n[It was ended after ${total / 1000} s, because no command outside of the sandbox goes on behind its call.]`;
      return toResult({ ...facts, suffix }, output, { exitCode: -1, timeout: true });
    }
    const exitCode = outcome === 'ended' ? (runner.report?.exitCode ?? -1) : (runner.exited ?? -1);
    return toResult({ ...facts, suffix: '\n[It ran outside of the sandbox.]' }, output, { exitCode });
  } finally {
    await runner.close();
  }
}

/**
 * Resolves with assignments of the variables of a shell that a command names. They are not exported, because programs of the sandbox can set
 * any variable, and many variables lead programs to load code. The shell must wait for a command.
 */
export async function variablesOf(shell: CommandRunner, command: string, signal: AbortSignal): Promise<string> {
  const named = [...command.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
  const names = new Set(named.filter((name) => !OF_SHELLS.test(name)));
  if (names.size === 0) return '';
  const telling = [
    `for __conv_name in ${[...names].join(' ')}; do`,
    `[[ -v $__conv_name ]] && builtin printf '%s=%s\\n' "$__conv_name" "$(builtin printf %s "\${!__conv_name}" | base64 -w 0)"`,
    'done',
    'builtin unset __conv_name',
  ];
  if (!(await shell.run(telling.join('\n'), {}, signal))) return '';
  await shell.wait({ quiet: TELLING, total: TELLING }, signal);
  signal.throwIfAborted();
  const { text } = await shell.collect();
  return [...text.matchAll(/^([A-Za-z_]\w*)=([A-Za-z\d+/=]*)$/gm)]
    .filter(([, name = '']) => names.has(name))
    .map(([, name = '', value = '']) => `${name}=${quote(Buffer.from(value, 'base64').toString())}\n`)
    .join('');
}

/** Opens a folder without following links, so that no program inside leads the command elsewhere. */
async function openFolder(host: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const handle = await open(host, O_PATH | constants.O_DIRECTORY);
  const path = `/proc/${process.pid}/fd/${handle.fd}`;
  const folder = { path, [Symbol.asyncDispose]: () => handle.close() };
  if ((await readlink(path)) === host) return folder;
  await handle.close();
  throw new ToolError('FAILED', `The command was not run: ${host} has become a link meanwhile. Call again.`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`).replaceAll('\0', '')}'`;
}
