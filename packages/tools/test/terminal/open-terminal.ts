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
export const PATIENT = { is_input: true, timeout: 60 };

/** Types into the running command, and resolves with what it prints, once that holds `expected`. */
export async function typeUntil({ run }: TerminalFixture, keys: string, expected: string): Promise<string> {
  let shown = textOf(await run(keys, { is_input: true }));
  while (!shown.includes(expected)) shown += textOf(await run('', { is_input: true }));
  return shown;
}
