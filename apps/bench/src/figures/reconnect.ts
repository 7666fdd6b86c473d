import { setTimeout as sleep } from 'node:timers/promises';

import type { Event } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';

import type { Figure } from '../figure.ts';
import { CountingProxy } from '../load/counting-proxy.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Place, servedConversation } from '../place.ts';
import { withoutEventFiles } from '../without-event-files.ts';

/** Milliseconds without a request. */
const QUIET = 400;

/** Measures the requests and bytes of a client that comes back after missing a few events of a long log. */
export async function reconnect(size: number, missed: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const store = place.store({ mirror: 'deferred', disk: withoutEventFiles });
  const id = await servedConversation(store, { directory: place.directory, size });
  await store.close();
  await using server = await LoadProcess.start('agent-server-worker', place.directory);
  using proxy = await CountingProxy.start(server.port);
  const workspace = new RemoteWorkspace({ host: `127.0.0.1:${proxy.port}`, workingDir: place.directory });
  await using conversation = await openRemoteConversation({}, { workspace, id, create: 'never' });
  const follower = collect(missed);
  conversation.subscribe(follower.subscriber, { from: toEventIndex(conversation.events.length) });
  const append = { id, commits: 1, each: missed, bytes: 1024, every: 0 };
  // once in the open, so that every connection is there
  await server.ask('append', append);
  await follower.complete();
  const asked = await quiet(server);
  proxy.cut();
  await server.ask('append', append);
  const before = proxy.bytes;
  proxy.release();
  const events = await follower.complete();
  const requests = (await quiet(server)) - asked;
  const bytes = proxy.bytes - before;
  const baseline = Buffer.byteLength(events.map((event) => JSON.stringify(event)).join('\n'));
  return [
    {
      name: `reconnect.requests.${size}`,
      value: requests,
      unit: 'requests',
      baseline: null,
      ratio: null,
      target: { of: 'value', is: 'at most', limit: 2 },
    },
    {
      name: `reconnect.bytes.${size}`,
      value: bytes,
      unit: 'bytes',
      baseline,
      ratio: bytes / baseline,
      // events, each in its frame, and the state
      target: { of: 'ratio', is: 'at most', limit: 3 },
    },
  ];
}

/** Resolves with the number of requests when none has come for a while. */
async function quiet(server: LoadProcess): Promise<number> {
  for (let last = -1; ;) {
    const requests = await server.ask('requests');
    if (requests === last) return requests;
    last = requests;
    await sleep(QUIET);
  }
}

/** Takes events in groups of so many. */
function collect(many: number): {
  readonly subscriber: (event: Event) => void;
  readonly complete: () => Promise<readonly Event[]>;
} {
  let events: Event[] = [];
  let group = Promise.withResolvers<readonly Event[]>();
  return {
    subscriber: (event) => {
      if (events.push(event) < many) return;
      group.resolve(events);
      events = [];
    },
    complete: async () => {
      const complete = await group.promise;
      group = Promise.withResolvers<readonly Event[]>();
      return complete;
    },
  };
}
