import { PostgresServer } from '@conv/testing-postgres-server';

import { beside } from '../beside.ts';
import type { Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import { messageBody, post, postMessage } from '../load/post.ts';
import { Place } from '../place.ts';

/** Storage of a server of this measurement. */
export type CommandStorage = 'files' | 'sqlite' | 'postgres';

/** Messages to a server that owns the conversation, each beside a POST of the same body to bare Fastify that writes it durably to the same storage. */
export async function serverCommand(storage: CommandStorage, samples: number): Promise<readonly Figure[]> {
  if (storage !== 'postgres') return [await measure(storage, samples)];
  const database = await PostgresServer.start();
  try {
    return [await measure(storage, samples, database.url())];
  } finally {
    await database.stop();
  }
}

async function measure(storage: CommandStorage, samples: number, ...database: readonly string[]): Promise<Figure> {
  await using place = new Place();
  await using ours = await LoadProcess.start('agent-server-worker', place.directory, storage, ...database);
  await using bare = await LoadProcess.start('bare-command-worker', place.directory, storage, ...database);
  const [id = ''] = await ours.ask('make', { conversations: 1, calls: 0 });
  return await beside({
    name: `server.command.${storage}`,
    samples,
    limit: 3,
    ours: () => postMessage(ours.port, id),
    bare: () => post(bare.port, '/', messageBody('go on')),
  });
}
