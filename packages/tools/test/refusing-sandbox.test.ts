import { ToolError, type Sandbox } from '@conv/core/tool';
import { expect, test } from 'vitest';

import { mcpServers, terminal } from '../src/index.ts';
import { openTool, temporaryFolder } from './open-tool.ts';

const REASON = 'The sandbox cannot protect hooks: put a folder there.';

/** A sandbox that starts no program, as after a path to protect has become a link. */
const refusing: Sandbox = {
  name: 'refusing',
  open: async () => ({
    rules: '',
    confine: () => {
      throw new ToolError('FAILED', REASON);
    },
    place: (path) => path,
    close: async () => {},
  }),
};

test('a shell that the sandbox does not start says why', async () => {
  const { call } = await openTool(terminal({ sandbox: refusing }));
  await expect(call({ command: 'true' })).rejects.toMatchObject({ code: 'FAILED', message: REASON });
});

test('an MCP server that the sandbox does not start says why', async () => {
  const session = { conversationId: 'one', workingDirectory: temporaryFolder() };
  const servers = mcpServers({ files: { command: 'true' } }, { sandbox: refusing });
  const { signal } = new AbortController();
  await expect(servers.provide(session, { changed: () => {}, signal })).rejects.toMatchObject({
    code: 'CONNECT_FAILED',
    message: expect.stringContaining(REASON),
  });
});
