import { createHooks } from '@conv/hooks';
import { mcpServers, terminal } from '@conv/tools';
import { describe, expect, onTestFinished, test } from 'vitest';

import { isHere } from './is-here.ts';
import { confinedConversation } from './support.ts';

const SAID = 'In the sandbox commands cannot write /usr/new, but in ';

describe.skipIf(!isHere)('a failure that the sandbox has caused', () => {
  test('the terminal explains a failure behind the output, and not a command that succeeds', async () => {
    const { sandbox, session, workspace } = confinedConversation();
    const tool = await terminal({ sandbox }).create(session);
    onTestFinished(() => tool.close?.());
    const context = { ...session, signal: new AbortController().signal, toolCallId: 'call' };
    const suffix = async (command: string): Promise<unknown> => {
      const { fields } = await tool.execute(tool.parse({ command }), context);
      return (fields?.['metadata'] as Record<string, unknown> | undefined)?.['suffix'];
    };
    expect(await suffix('touch /usr/new')).toBe(
      `\n[${SAID}${workspace}. Work within that, or tell the user what you need: a person can allow more.]`,
    );
    expect(await suffix('touch /usr/new || true')).toBe('');
    expect(await suffix('false')).toBe('');
  });

  test('the failure of a hook explains what the sandbox caused', async () => {
    const { sandbox, session } = confinedConversation();
    const runner = createHooks({ preToolUse: [{ hooks: [{ command: 'touch /usr/new' }] }] }, { sandbox }).start({
      ...session,
      onAsyncEnd: () => {},
    });
    onTestFinished(() => runner.close());
    const call = { type: 'PreToolUse', toolName: 'terminal', toolInput: {} } as const;
    const { events } = await runner.run(call, new AbortController().signal);
    expect(JSON.stringify(events)).toContain(SAID);
  });

  test('the error of an MCP server that ends explains what the sandbox caused', async () => {
    const { sandbox, session } = confinedConversation();
    const { signal } = new AbortController();
    const config = { ended: { command: 'sh', args: ['-c', 'touch /usr/new'] } };
    const opening = mcpServers(config, { sandbox }).provide(session, { changed: () => {}, signal });
    await expect(opening).rejects.toThrow(SAID);
  });
});
