import { systemPlatform } from '@conv/core/platform';
import { expect, onTestFinished, test } from 'vitest';

import { ServerProcess } from '../../src/mcp/server-process.ts';
import { temporaryFolder } from '../open-tool.ts';
import { scripted } from './support/open-servers.ts';

test('a message of a process that cannot be handled does not hold back the next one', async () => {
  const settings = { transport: 'stdio', ...scripted(), env: {}, cwd: temporaryFolder(), secrets: [] } as const;
  const server = new ServerProcess(systemPlatform, settings);
  onTestFinished(() => server.close());
  const { promise: second, resolve } = Promise.withResolvers<unknown>();
  const errors: Error[] = [];
  let messages = 0;
  server.onerror = (error) => void errors.push(error);
  server.onmessage = (message) => {
    messages += 1;
    if (messages === 1) throw new Error('broken');
    resolve(message);
  };
  await server.start();
  await server.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  await server.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  expect(await second).toMatchObject({ id: 2 });
  expect(errors).toEqual([new Error('broken')]);
});
