import { expect, onTestFinished, test } from 'vitest';

import { payload } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

const command = { pre_tool_use: [{ matcher: '*', hooks: [{ command: './check.sh' }] }] };

test('a server without a sandbox starts no conversation in a container whose hooks are commands', async () => {
  const cwd = newFolder();
  const args = ['--sandbox', 'off', '--runtimes', 'docker', 'local', '--container-image', 'conv-agent-server'];
  const server = await ServerProcess.start({ cwd, args });
  onTestFinished(() => server.kill('SIGKILL'));
  const llm = { model: 'openai/test-model', base_url: 'http://127.0.0.1:1', api_key: 'k' };
  const body = { ...payload({ cwd, llm }), hook_config: command };
  expect(await server.call('POST', '/api/conversations', body)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'hook_config'], msg: expect.stringContaining('outside of the executor') }] },
  });
  const local = { ...body, conversation_runtime: 'local' };
  expect(await server.call('POST', '/api/conversations', local)).toMatchObject({ status: 201 });
});
