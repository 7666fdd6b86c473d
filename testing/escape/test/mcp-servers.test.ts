import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ToolResult } from '@conv/core/tool';
import { type McpConfig, mcpServers } from '@conv/tools';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { isHere } from './is-here.ts';
import { type ConfinedConversation, confinedConversation } from './support.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
/** The repository, whose programs no sandbox shows by itself. */
const REPOSITORY = join(import.meta.dirname, '../../..');

interface Served extends ConfinedConversation {
  readonly call: (name: string, input: Record<string, unknown>) => Promise<ToolResult>;
  readonly close: () => Promise<void>;
}

/** Connects the official server for files, which is allowed these folders by its own rules. */
async function serveFiles(conversation: ConfinedConversation, ...folders: readonly string[]): Promise<Served> {
  const config = { files: { command: process.execPath, args: [PROGRAM, ...folders] } };
  const provided = await provide(conversation, config);
  onTestFinished(() => provided.close());
  const call = async (name: string, input: Record<string, unknown>): Promise<ToolResult> => {
    const tool = provided.tools.find((each) => each.name === name);
    if (!tool) throw new Error(`expected a tool ${name}`);
    const { signal } = new AbortController();
    return tool.execute(tool.parse(input), { ...conversation.session, signal, toolCallId: 'call' });
  };
  return { ...conversation, call, close: () => provided.close() };
}

function provide({ sandbox, session }: ConfinedConversation, config: McpConfig) {
  const { signal } = new AbortController();
  return mcpServers(config, { sandbox }).provide(session, { changed: () => {}, signal });
}

describe.skipIf(!isHere)('an MCP server in a sandbox', () => {
  test('an MCP server in a sandbox works as without one, and shares its home and /tmp with commands', async () => {
    const conversation = confinedConversation({ read: [REPOSITORY] });
    const { call, run, workspace } = await serveFiles(conversation, conversation.workspace, '/tmp');
    await call('write_file', { path: join(workspace, 'file'), content: 'served' });
    expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('served');
    await call('write_file', { path: '/tmp/file', content: 'kept' });
    expect(await run('cat /tmp/file')).toBe('kept');
    expect(existsSync('/tmp/file')).toBe(false);
  });

  test('an MCP server in a sandbox is refused what is outside, in words that the model reads', async () => {
    const conversation = confinedConversation({ read: [REPOSITORY] });
    const { call } = await serveFiles(conversation, conversation.workspace, '/usr');
    const path = `/usr/conv-${crypto.randomUUID()}`;
    const result = await call('write_file', { path, content: 'x' });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toMatch(/read-only|EROFS/);
    expect(existsSync(path)).toBe(false);
  });

  test('an MCP server that needs other folders is refused, with the option that shows them', async () => {
    const serving = serveFiles(confinedConversation(), '/tmp');
    await expect(serving).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      message: expect.stringMatching(/files: .*sandbox.* read or write/s),
    });
  });

  test("an MCP server gets the usual variables and its own, and none that lead to the user's services", async () => {
    const conversation = confinedConversation();
    for (const name of ['SSH_AUTH_SOCK', 'SERVER_API_KEY']) vi.stubEnv(name, 'out');
    onTestFinished(() => void vi.unstubAllEnvs());
    const config = { files: { command: 'sh', args: ['-c', 'env >environment'], env: { OWN: 'value' } } };
    await expect(provide(conversation, config)).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    const environment = readFileSync(join(conversation.workspace, 'environment'), 'utf8');
    expect(environment).toContain('OWN=value');
    expect(environment).not.toMatch(/SSH_AUTH_SOCK|SERVER_API_KEY/);
  });

  test('an MCP server in a sandbox ends with its conversation, and all that it started with it', async () => {
    const conversation = confinedConversation({ read: [REPOSITORY] });
    const { close, directory } = await serveFiles(conversation, conversation.workspace);
    const inside = (): readonly string[] =>
      readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(conversation.workspace));
    expect(inside()).not.toEqual([]);
    await close();
    expect(readdirSync(directory)).toEqual([]);
    await expect.poll(inside).toEqual([]);
  });
});

test('an MCP server whose sandbox cannot be had is refused by name, and does not start', async () => {
  const conversation = confinedConversation();
  vi.stubEnv('PATH', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  const config = { files: { command: '/bin/sh', args: ['-c', 'echo >started'] } };
  await expect(provide(conversation, config)).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    servers: ['files'],
    message: expect.stringContaining('sandbox'),
  });
  expect(readdirSync(conversation.workspace)).toEqual([]);
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
