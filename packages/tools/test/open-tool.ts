import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Tool, ToolContext, ToolFactory, ToolResult, ToolSession } from '@conv/core/tool';
import { onTestFinished } from 'vitest';

/** A tool in a conversation of its own, with folders that go away when the test ends. */
export interface ToolFixture {
  readonly tool: Tool;
  readonly session: ToolSession & { readonly sideDirectory: string };
  readonly call: (input: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>;
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-tools-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function openTool(
  factory: ToolFactory,
  folder: string = temporaryFolder(),
  more: Partial<ToolContext> = {},
): Promise<ToolFixture> {
  const session = {
    ...more,
    conversationId: crypto.randomUUID(),
    workingDirectory: folder,
    sideDirectory: more.sideDirectory ?? join(folder, 'conversation', 'observations'),
  };
  const tool = await factory.create(session);
  onTestFinished(() => tool.close?.());
  const call = (input: Record<string, unknown>, signal = new AbortController().signal): Promise<ToolResult> =>
    tool.execute(tool.parse(input), { ...session, signal, toolCallId: 'call' });
  return { tool, session, call };
}

export function textOf(result: ToolResult): string {
  return result.content.map((part) => ('text' in part ? part.text : '[image]')).join('\n');
}
