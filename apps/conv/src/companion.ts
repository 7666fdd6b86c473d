import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { CommandError } from './command-error.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';

/** A program of another package, which replaces the process of a command. */
export interface Companion {
  /** The command that needs it. */
  readonly command: string;
  readonly package: string;
  /** Its name among the programs of the package. */
  readonly bin: string;
}

/**
 * Becomes another program, with these arguments and variables. On most systems it takes over this process, so that signals and the
 * exit code are its own. Rejects {@link CommandError} with the command that installs it when it is missing.
 */
export async function become(
  companion: Companion,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ExitCode> {
  const file = fileOf(companion);
  const given = Object.fromEntries(
    Object.entries(environment).filter((each): each is [string, string] => each[1] !== undefined),
  );
  process.removeAllListeners('warning');
  // Windows has no such call
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, file, ...args], given);
  return await runBeside(file, args, given);
}

async function runBeside(file: string, args: readonly string[], env: Record<string, string>): Promise<ExitCode> {
  const child = spawn(process.execPath, [...process.execArgv, file, ...args], { env, stdio: 'inherit' });
  // a terminal sends Ctrl-C to both; the child decides when to end
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGINT', ignore);
  return (code ?? exitCodes.interrupted) as ExitCode;
}

function fileOf({ command, package: name, bin }: Companion): string {
  let manifest: string;
  try {
    manifest = import.meta.resolve(`${name}/package.json`);
    readFileSync(new URL(manifest));
  } catch (cause) {
    throw new CommandError(
      exitCodes.usage,
      `conv ${command} needs the package ${name}, which is not installed beside @conv/cli; install it with: npm i ${name}`,
      { cause },
    );
  }
  const { bin: files } = JSON.parse(readFileSync(new URL(manifest), 'utf8')) as {
    readonly bin?: Readonly<Record<string, string>>;
  };
  const file = files?.[bin];
  if (file === undefined)
    throw new CommandError(exitCodes.failed, `expected the program ${bin} in ${name}, found none; update ${name}`);
  return fileURLToPath(new URL(file, manifest));
}
