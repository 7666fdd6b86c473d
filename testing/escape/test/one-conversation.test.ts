import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { joinedText } from '@conv/core/events';
import type { Tool } from '@conv/core/tool';
import { createHooks } from '@conv/hooks';
import { fileEditor, terminal } from '@conv/tools';
import { expect, test } from 'vitest';

import { isHere } from './is-here.ts';
import { confinedConversation, newFolder } from './support.ts';

test.skipIf(!isHere)(
  'tools and hooks of a conversation share one sandbox, which goes with the last of them',
  async () => {
    const { sandbox, directory, session: plain } = confinedConversation();
    const session = { ...plain, sideDirectory: join(newFolder(), 'observations') };
    const say = async (tool: Tool, input: object): Promise<string> => {
      const context = { ...session, signal: new AbortController().signal, toolCallId: 'call' };
      return joinedText((await tool.execute(tool.parse(input), context)).content);
    };
    const shell = await terminal({ sandbox }).create(session);
    const editor = await fileEditor({ sandbox }).create(session);
    const config = { stop: [{ hooks: [{ command: 'cat /tmp/file; echo by a hook >/tmp/file' }] }] };
    const hooks = createHooks(config, { sandbox }).start({ ...session, onAsyncEnd: () => {} });

    await say(shell, { command: 'echo by a command >/tmp/file' });
    await say(editor, { command: 'str_replace', path: '/tmp/file', old_str: 'by a command', new_str: 'by the editor' });
    const { events } = await hooks.run({ type: 'Stop' }, new AbortController().signal);
    expect(events).toMatchObject([{ stdout: 'by the editor\n' }]);
    expect(await say(shell, { command: 'cat /tmp/file' })).toContain('by a hook');
    expect(readdirSync(directory)).toHaveLength(1);
    await hooks.close();
    await shell.close?.();
    expect(readdirSync(directory)).toHaveLength(1);
    await editor.close?.();
    expect(readdirSync(directory)).toEqual([]);
  },
);
