import type { ToolFactory, ToolResult, ToolSession } from '@conv/core/tool';

import { terminal } from '../../src/index.ts';
import { openTool, temporaryFolder, type ToolFixture } from '../open-tool.ts';

/** A terminal in a conversation of its own. */
export interface TerminalFixture extends ToolFixture {
  readonly run: (command: string, more?: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>;
}

export async function openTerminal(
  factory: ToolFactory = terminal(),
  more: Partial<ToolSession> = {},
): Promise<TerminalFixture> {
  const fixture = await openTool(factory, temporaryFolder(), more);
  return { ...fixture, run: (command, more = {}, signal) => fixture.call({ command, ...more }, signal) };
}

export function metadataOf(result: ToolResult): Record<string, unknown> {
  return result.fields?.['metadata'] as Record<string, unknown>;
}
