import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { expect, onTestFinished, test } from 'vitest';

import { executeIn, RemoteWorkspace } from '../src/index.ts';
import { listening } from './support/listening.ts';

/** A workspace that counts the clients that are made for it. */
class CountedWorkspace extends RemoteWorkspace {
  clients = 0;

  override connect(...given: Parameters<RemoteWorkspace['connect']>): ReturnType<RemoteWorkspace['connect']> {
    this.clients += 1;
    return super.connect(...given);
  }
}

test('the first calls of an executor share one client, also if they are made at the same time', async () => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"output":[],"answer":{"done":true}}');
  });
  const counted = new CountedWorkspace({ url: await listening(server), workingDir: '/project' });
  const workspace = executeIn(counted);
  onTestFinished(() => workspace.close());
  const session = { conversationId: randomUUID(), workingDirectory: '/project' };
  const { signal } = new AbortController();
  const calls = [1, 2].map((number) => workspace.executor.execute(session, { number }, { signal }));
  expect(await Promise.all(calls)).toEqual([{ done: true }, { done: true }]);
  expect(counted.clients).toBe(1);
});

test('a call whose server was ended by its workspace says why', async () => {
  const server = createServer((_, response) => void response.destroy());
  const address = await listening(server);
  const remote = new RemoteWorkspace({ url: address, workingDir: '/project' });
  const ending = {
    kind: 'RemoteWorkspace',
    host: address,
    workingDir: '/project',
    endReason: 'the container was ended: expected less',
    start: async () => remote,
  } as const;
  const workspace = executeIn(ending);
  onTestFinished(() => workspace.close());
  const session = { conversationId: randomUUID(), workingDirectory: '/project' };
  const { signal } = new AbortController();
  await expect(workspace.executor.execute(session, {}, { signal })).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(
      /The executor failed: the container was ended: expected less\. The outcome of this call is unknown/,
    ),
  });
});

test('an answer of an executor has a bound, behind which the connection ends', async () => {
  const ended = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.on('close', ended.resolve);
    response.setHeader('content-type', 'application/json');
    response.write('{"output":[\n');
    const more = (): void => {
      while (response.write('"x"'.padEnd(1_000_000, ' ')));
    };
    response.on('drain', more);
    more();
  });
  const workspace = executeIn(new RemoteWorkspace({ url: await listening(server), workingDir: '/project' }));
  onTestFinished(() => workspace.close());
  const session = { conversationId: randomUUID(), workingDirectory: '/project' };
  const { signal } = new AbortController();
  await expect(workspace.executor.execute(session, {}, { signal, onOutput: () => undefined })).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/the answer has more than 33554432 bytes.*outcome of this call is unknown/),
  });
  await ended.promise;
});
