import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ConversationState } from '@conv/core';
import { drafts } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import type { ConversationStore, Journal } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { CLOSE_CODES } from '@conv/openhands/sockets';
import { FaultyStore, only, StreamingAgent, WrappingStore } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { ConversationHost } from '../../src/hosting/conversation-host.ts';
import { HostedConversation } from '../../src/hosting/hosted-conversation.ts';
import { LoadedConversations } from '../../src/hosting/loaded-conversations.ts';
import { RunSlots } from '../../src/hosting/run-slots.ts';
import type { ExecutorRuntime } from '../../src/index.ts';
import { Usage } from '../../src/usage/usage.ts';
import { message } from '../support/conversation-calls.ts';
import { startBench } from '../support/socket-bench.ts';
import { startServer, until } from '../support/test-server.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const platform = systemPlatform;

/** A store that remembers its journals, for a writer that the process which opened them knows nothing of. */
class OpenedStore extends WrappingStore {
  readonly journals: Journal[] = [];

  protected override changes(journal: Journal): Record<never, never> {
    this.journals.push(journal);
    return {};
  }

  /** Another process appends a message to the newest conversation. */
  async append(text: string): Promise<void> {
    const state = await ConversationState.open(this.journals.at(-1) as Journal);
    await state.append([drafts.environmentMessage(text)]);
  }
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'conv-lost-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function hosted(
  store: ConversationStore,
  afterOpening: () => void = () => undefined,
): Promise<HostedConversation> {
  const agent = new StreamingAgent();
  const runtime = { storeAt: () => store, agents: only(agent) };
  const conversation = await openLocalConversation(runtime, { id: ID, store, agent, workspace: folder() });
  afterOpening();
  return new HostedConversation({
    platform,
    conversation,
    release: async () => undefined,
    slots: new RunSlots(1),
    observer: undefined,
    usage: new Usage({ platform, options: undefined, store, statsOf: async () => ({}), report: () => undefined }),
    report: () => undefined,
    eventsNow: async () => 0,
    rested: () => undefined,
  });
}

test('P2: a conversation that was lost while it was opened is given to no caller', async () => {
  const loaded = new LoadedConversations({ platform, idleTimeout: 60_000, report: () => undefined });
  onTestFinished(() => loaded.close({ reason: new Error('the test is over') }));
  const lost = new FaultyStore();
  const openings = [() => hosted(lost, () => lost.fenceOff()), () => hosted(new FaultyStore())];
  let opened = 0;
  const lease = await loaded.lease(ID, () => (openings[opened++] as () => Promise<HostedConversation>)());
  expect([opened, lease.conversation.ended.aborted]).toEqual([2, false]);
  lease.release();
});

test('P2: a follower of a conversation that is taken over while it is opened reads its log', async () => {
  const store = new FaultyStore();
  const agent = new StreamingAgent();
  const persistenceDir = folder();
  const first = new ConversationHost({ store, persistenceDir, agents: only(agent) });
  (await first.create({ id: ID, agent, workspace: folder() })).release();
  await first.close();
  const revive = async (): Promise<StreamingAgent> => {
    store.fenceOff();
    return agent;
  };
  const second = new ConversationHost({ store, persistenceDir, agents: { revive } });
  onTestFinished(() => second.close());
  const lease = await second.follow(ID);
  expect([lease.conversation.ownedElsewhere, lease.conversation.ended.aborted]).toEqual([true, false]);
  lease.release();
});

test('P11: a socket with an event of another owner is closed, and brings the rest when it comes back', async () => {
  const store = new OpenedStore();
  const bench = await startBench({ store });
  await bench.append('one');
  await store.append('two');
  const ahead = bench.session(1);
  expect((await ahead.closed).code).toBe(CLOSE_CODES.shutdown.code);
  expect(ahead.frames.filter(({ type }) => type === 'error')).toEqual([]);
  const again = bench.session(1);
  await again.until((frames) => frames.length === 2);
  expect(again.frames[0]).toEqual({ type: 'sync', from_seq: 1, through_seq: 1 });
});

test.each(['events/poll?wait=60&', 'stream?'])(
  'P11: %s keeps the cursor of a client with an event of another owner',
  async (route) => {
    const store = new OpenedStore();
    const server = await startServer({ store });
    const { id } = await server.make();
    const path = `/api/conversations/${id}`;
    const { events } = (await server.host.acquire(id)).conversation;
    const { length } = events;
    await store.append('two');
    const { status, body } = await server.call('GET', `${path}/${route}after=${length}`);
    const nothing = route.startsWith('stream') ? '' : { events: [], after: length, has_more: false };
    expect([status, body]).toEqual([200, nothing]);
    await server.call('POST', `${path}/events`, message('three'));
    const polled = await server.call('GET', `${path}/events/poll?after=${length}`);
    expect(polled.body).toMatchObject({ after: length + 1, events: [{ seq: length + 1 }] });
  },
);

test('P2: the executor of a conversation that the store says is taken over is left to its owner', async () => {
  const store = new OpenedStore();
  const left: boolean[] = [];
  const apart: ExecutorRuntime = {
    most: { memory: 2 ** 30 },
    open: () => ({
      executor: { execute: async () => ({}), end: async () => undefined },
      close: async ({ isTakenOver }) => void left.push(isTakenOver),
    }),
  };
  const server = await startServer({ store, runtimes: { default: 'apart', offered: { apart } } });
  const { id } = await server.make();
  const { length } = (await server.host.acquire(id)).conversation.events;
  await store.append('two');
  await server.call('GET', `/api/conversations/${id}/events/poll?after=${length}`);
  await until(async () => left.length > 0);
  expect(left).toEqual([true]);
});
