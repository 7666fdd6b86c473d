import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { ExecutionStatus } from '@conv/core';
import { isEvent } from '@conv/core/events';

import { PAUSED_BEHIND } from '../act-resume.ts';
import { until } from '../process-life.ts';
import { factsTask } from '../task.ts';
import type { Client } from './client.ts';
import { cutClaim } from './remote-claims.ts';
import type { RemoteStage } from './remote-stage.ts';

/** Milliseconds for a model to answer. */
const TIMEOUT = 300_000;
/** Seconds that the slow command would take; its end is not awaited. */
const SLOW = 60;
/** Number of events that occur while the client is cut off. */
const UNHEARD = 2;

/** A job that is under way on a server. */
export interface Begun {
  readonly client: Client;
  /** The run, from before all that happens to its connection, until it is paused. */
  readonly running: Promise<{ readonly status: ExecutionStatus }>;
  /** The file in which the slow command says that it runs. */
  readonly marker: string;
}

/** Gives a server the job. In the middle of it the connection is cut, and restored. */
export async function cutConnection(stage: RemoteStage): Promise<Begun> {
  const { narrator, proxy } = stage;
  await proxy.listen();
  const server = await stage.serve();
  await narrator.act(`An agent server starts (pid ${server.pid}), and a client gives it the job`);
  narrator.fact('server', `${server.url}, with a proxy for the client at ${proxy.url}`);
  const marker = join(stage.base, 'tool-is-running');
  const client = stage.start();
  await client.call('open', stage.request('must', 0));
  await client.call('send', factsTask(marker, SLOW));
  let ended = false;
  const running = client.call('run', PAUSED_BEHIND).finally(() => (ended = true));
  // the code that awaits it gets its failure
  running.catch(() => {});
  await until(() => ended || client.acknowledged.some(({ event }) => isEvent(event, 'ActionEvent')), TIMEOUT);
  const cut = proxy.cut();
  const heard = client.acknowledged.length;
  narrator.clearLine();
  narrator.say(narrator.strong(`The connection is cut (${cut} sockets), and clients cannot connect.`));
  const stored = await storedAtLeast(stage, heard + UNHEARD, () => ended);
  const refused = proxy.heal();
  narrator.say(narrator.strong('The network works again. The client has to notice by itself.'));
  const caughtUp = await until(() => client.acknowledged.length >= stored, TIMEOUT);
  narrator.clearLine();
  narrator.claim(cutClaim({ cut, refused, unheard: stored - heard, caughtUp }));
  return { client, running, marker };
}

/** Resolves with the number of stored events when there are `count`, or no more will come. */
async function storedAtLeast(stage: RemoteStage, count: number, ended: () => boolean): Promise<number> {
  const end = Date.now() + TIMEOUT;
  for (;;) {
    const { length } = await stage.storedEvents();
    if (length >= count || ended() || Date.now() > end) return length;
    await wait(50);
  }
}
