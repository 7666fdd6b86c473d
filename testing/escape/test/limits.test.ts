import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ToolResult } from '@conv/core/tool';
import { createHooks } from '@conv/hooks';
import type { LimitReached } from '@conv/sandbox';
import { mcpServers, terminal } from '@conv/tools';
import { describe, expect, onTestFinished, test } from 'vitest';

import { isHere } from './is-here.ts';
import { type ConfinedConversation, confinedConversation } from './support.ts';

/** Starts more processes than the conversation may have, and never ends. */
const MANY = 'for i in $(seq 60); do sleep 1000 & done; wait';
const WHY = 'the sandbox ended it and all that it had started: expected at most 30 processes and threads, found ';

interface Limited extends ConfinedConversation {
  /** Resolves when a program was ended at a limit. */
  readonly limited: Promise<LimitReached>;
}

function limitedConversation(): Limited {
  const { promise, resolve } = Promise.withResolvers<LimitReached>();
  return { ...confinedConversation({ limits: { processes: 30 }, onLimit: resolve }), limited: promise };
}

async function shellOf({ sandbox, session }: ConfinedConversation): Promise<(command: string) => Promise<ToolResult>> {
  const tool = await terminal({ sandbox }).create(session);
  onTestFinished(() => tool.close?.());
  const { signal } = new AbortController();
  return (command) => tool.execute(tool.parse({ command }), { ...session, signal, toolCallId: 'call' });
}

describe.skipIf(!isHere)('a program beyond a limit', () => {
  test('the terminal names a program beyond a limit as the end of the call, and has a new shell then', async () => {
    const run = await shellOf(limitedConversation());
    const { fields } = await run(`echo begun; ${MANY}`);
    expect(fields).toMatchObject({
      exit_code: 137,
      metadata: { suffix: expect.stringContaining(`[The shell has ended: ${WHY}`) },
    });
    expect(await run('echo again')).toMatchObject({ fields: { exit_code: 0 }, content: [{ text: 'again' }] });
  });

  test('the next call of the terminal names a program that grew behind an earlier one', async () => {
    const conversation = limitedConversation();
    const run = await shellOf(conversation);
    await run(`mkfifo go; (read line <go; ${MANY}) >/dev/null 2>&1 &`);
    await writeFile(join(conversation.workspace, 'go'), '\n');
    const { pid } = await conversation.limited;
    // a killed shell may take one more command
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    expect(await run('echo again')).toMatchObject({
      content: [{ text: 'again' }],
      fields: { metadata: { prefix: expect.stringContaining(`[The old shell is gone: ${WHY}`) } },
    });
  });

  test('the failure of a hook names a program beyond a limit, and denies', async () => {
    const { sandbox, session } = limitedConversation();
    const runner = createHooks({ preToolUse: [{ hooks: [{ command: MANY }] }] }, { sandbox }).start({
      ...session,
      onAsyncEnd: () => {},
    });
    onTestFinished(() => runner.close());
    const call = { type: 'PreToolUse', toolName: 'terminal', toolInput: {} } as const;
    const outcome = await runner.run(call, new AbortController().signal);
    expect(outcome).toMatchObject({ blocked: true, reason: expect.stringContaining(WHY) });
  });

  test('the error of an MCP server names a program beyond a limit', async () => {
    const { sandbox, session } = limitedConversation();
    const { signal } = new AbortController();
    const opening = mcpServers({ many: { command: 'bash', args: ['-c', MANY] } }, { sandbox }).provide(session, {
      changed: () => {},
      signal,
    });
    await expect(opening).rejects.toThrow(WHY);
  });

  test('a program beyond a limit leaves what it wrote in the workspace', async () => {
    const conversation = limitedConversation();
    const run = await shellOf(conversation);
    await run(`echo kept >file; ${MANY}`);
    expect(readFileSync(join(conversation.workspace, 'file'), 'utf8')).toBe('kept\n');
  });
});
