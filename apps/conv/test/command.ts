import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { fieldsOf, readConversation } from '@conv/cli/parts';
import { execa } from 'execa';
import { vi } from 'vitest';

import { type Ended, runHere } from './run-here.ts';

const program = fileURLToPath(new URL('scripted-process.ts', import.meta.url));

/** Folder of Node's compile cache, because the program starts hundreds of times. */
const compiled = fileURLToPath(new URL('../../../.cache/compiled', import.meta.url));

/** Milliseconds until a command is given up: a little less than a test may take. */
const LONGEST = 110_000;

/** Options of a command, which has no terminal. */
export interface Setting {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds until it is given up; default 110,000. */
  readonly timeout?: number;
}

/** Commands that become another program, or end their process. */
const NEED_PROCESS = new Set(['serve', 'studio', 'complete']);

/**
 * Runs a command of the built program. Resolves when it has ended, however that was. It runs in the process of the tests, because
 * the start of a process takes many times what most commands take; a test about the process itself uses {@link convProcess}. Rejects
 * if it is at work when its time is over.
 */
export async function conv(setting: Setting, ...args: string[]): Promise<Ended> {
  if (NEED_PROCESS.has(args[0] ?? '')) return ended(await convProcess(setting, ...args));
  const { cwd, env, timeout = LONGEST } = setting;
  return runHere({ cwd, env: { ...cleanEnvironment(), ...env }, args, timeout });
}

function ended({ stdout, stderr, exitCode }: Awaited<ReturnType<typeof convProcess>>): Ended {
  return { stdout, stderr, exitCode: exitCode ?? NaN };
}

/** Starts the built program as a process of its own; resolves when it has ended, however that was. */
export function convProcess({ cwd, env = {}, timeout = LONGEST }: Setting, ...args: string[]) {
  return execa(process.execPath, [program, ...args], {
    cwd,
    reject: false,
    extendEnv: false,
    env: { ...cleanEnvironment(), ...env },
    stdin: 'ignore',
    timeout,
  });
}

/** Starts the program as it is published, without a script in place of a model. */
export function published({ cwd, env = {}, timeout = LONGEST }: Setting, ...args: string[]) {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const given = { ...cleanEnvironment(), ...env };
  return execa(process.execPath, [main, ...args], {
    cwd,
    reject: false,
    extendEnv: false,
    env: given,
    input: '',
    timeout,
  });
}

/** The program with its arguments, to be started in another way. */
export function commandOf(...args: string[]): { file: string; args: string[]; env: Record<string, string> } {
  return { file: process.execPath, args: [program, ...args], env: cleanEnvironment() };
}

/** Folder in which commands keep conversations when no other place is named. */
function storeOf({ cwd }: Setting): string {
  return join(cwd, 'workspace/conversations');
}

/** Returns the id of the only conversation of a setting. The folder tells it, unless it is not alone there. */
export async function onlyId(setting: Setting): Promise<string> {
  const folder = storeOf(setting);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[\da-f]{32}$/.test(name)) : [];
  if (names.length === 1) return String(names[0]).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const { stdout } = await conv(setting, 'list', '--json');
  const [item] = JSON.parse(stdout) as readonly { readonly id: string }[];
  if (!item) throw new Error('the list is empty');
  return item.id;
}

/** Resolves when a file is there: a tool has got that far. */
export async function untilThere(file: string): Promise<void> {
  await vi.waitUntil(() => existsSync(file), { timeout: 100_000, interval: 20 });
}

/** Returns what `show --json` prints. Without arguments and keys it is read here, because a process takes much longer to start. */
export async function shown(setting: Setting, id: string, ...args: string[]): Promise<Shown> {
  const folder = storeOf(setting);
  if (args.length === 0 && setting.env?.['OH_SECRET_KEY'] === undefined && existsSync(folder)) {
    await using read = await readConversation(`fs:${folder}`, id);
    const events = await read.events.slice(0, read.events.length);
    return JSON.parse(JSON.stringify({ ...fieldsOf(read.state), events })) as Shown;
  }
  const { stdout } = await conv(setting, 'show', id, '--json', ...args);
  return JSON.parse(stdout) as Shown;
}

/** The part of `show --json` that tests look at. */
export interface Shown {
  readonly id: string;
  readonly executionStatus: string;
  readonly events: readonly { readonly kind: string; readonly id: string; readonly [field: string]: unknown }[];
  readonly forkedFrom: { readonly conversationId: string } | null;
}

function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(LLM_|OH_|NO_COLOR|FORCE_COLOR|npm_)/.test(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), NODE_COMPILE_CACHE: compiled };
}
