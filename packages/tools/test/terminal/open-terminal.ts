import type { ToolContext, ToolFactory, ToolResult } from '@conv/core/tool';

import { terminal } from '../../src/index.ts';
import { openTool, temporaryFolder, textOf, type ToolFixture } from '../open-tool.ts';

/** A terminal in a conversation of its own. */
export interface TerminalFixture extends ToolFixture {
  readonly run: (command: string, more?: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>;
}

export async function openTerminal(
  factory: ToolFactory = terminal(),
  more: Partial<ToolContext> = {},
): Promise<TerminalFixture> {
  const fixture = await openTool(factory, temporaryFolder(), more);
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
