import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

import type { ToolContext, ToolFactory, ToolResult } from '@conv/core/tool';

import { openTool, temporaryFolder, textOf, type ToolFixture } from '../open-tool.ts';
import { isConfined, terminal } from './tested-terminal.ts';

/** A terminal in a conversation of its own. */
export interface TerminalFixture extends ToolFixture {
  readonly run: (command: string, more?: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>;
}

export async function openTerminal(
  factory: ToolFactory = terminal(),
  more: Partial<ToolContext> = {},
  folder: string = temporaryFolder(),
): Promise<TerminalFixture> {
  // not in the workspace, where a sandbox makes it at once
  const sideDirectory = join(temporaryFolder(), 'conversation', 'observations');
  const fixture = await openTool(factory, folder, { sideDirectory, ...more });
  return { ...fixture, run: (command, more = {}, signal) => fixture.call({ command, ...more }, signal) };
}

export function metadataOf(result: ToolResult): Record<string, unknown> {
  return result.fields?.['metadata'] as Record<string, unknown>;
}

/** Input that ends a command, whose end is waited for however long the machine takes. */
export const PATIENT = { is_input: true, timeout: 100 };

/** Lets a command end that is silent for longer than the options of its terminal allow. */
export const UNHURRIED = { timeout: 100 };

/** The output of a command that runs on, from as many calls as it took. */
export interface Shown {
  readonly text: string;
  /** The result of the last of these calls. */
  readonly last: ToolResult;
}

/** Runs a command that does not end, and reads on until what it prints holds `expected`. */
export async function runUntil(shell: TerminalFixture, command: string, expected: string | RegExp): Promise<Shown> {
  return shownUntil(shell, await shell.run(command), expected);
}

/** Types into the running command, and resolves with what it prints, once that holds `expected`. */
export async function typeUntil(shell: TerminalFixture, keys: string, expected: string): Promise<string> {
  return (await shownUntil(shell, await shell.run(keys, { is_input: true }), expected)).text;
}

async function shownUntil({ run }: TerminalFixture, first: ToolResult, expected: string | RegExp): Promise<Shown> {
  let [text, last] = [textOf(first), first];
  while (typeof expected === 'string' ? !text.includes(expected) : !expected.test(text)) {
    last = await run('', { is_input: true });
    text += textOf(last);
  }
  return { text, last };
}

/** Returns the number by which this process knows a program that works in a folder, and that has another number where it is confined. */
export function numberOutside(pid: number, folder: string): number {
  if (!isConfined) return pid;
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isProgram(name, pid, folder));
  if (numbers.length !== 1) throw new Error(`expected one program ${pid} in ${folder}, found ${numbers.length}`);
  return Number(numbers[0]);
}

function isProgram(name: string, pid: number, folder: string): boolean {
  try {
    const [, inside] = /^NSpid:\s\d+\s.*?(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? [];
    return Number(inside) === pid && `${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${folder}/`);
  } catch {
    return false;
  }
}
