import { ConversationState } from '@conv/core';
import { userMessage, type Event } from '@conv/core/events';
import type { ConversationStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';

import { instantAgent } from '../../instant-agent.ts';
import type { PeerRuns, PeerStore, PeerThread } from '../peer.ts';
import { effectsOf } from './conv-effects.ts';

const FILLED_AT_ONCE = 500;

/** A store with a call that closes it, which stores in memory lack. */
export type ClosableStore = ConversationStore & { close?(): Promise<void> };

/** Conversations of ours on a store, by the calls of an application: open, `sendMessage`, `events`. */
export function openConversations(store: ClosableStore, workspace: string): PeerStore {
  return {
    fill: async (id, texts) => {
      const state = await ConversationState.open(await store.open(id, { owner: 'bench' }), {
        id,
        agent: instantAgent(0).describe(),
        workspace: { kind: 'LocalWorkspace', workingDir: workspace },
      });
      for (let at = 0; at < texts.length; at += FILLED_AT_ONCE)
        await state.append(texts.slice(at, at + FILLED_AT_ONCE).map((text) => userMessage(text)));
      await state.close();
    },
    open: async (id) => openThread(store, { id, workspace }),
    fork: (from, to) => store.fork(from, to, { patch: { set: { id: to } } }),
    steps: (id, calls) => openRuns(store, { id, workspace, calls }),
    list: () => listAll(store),
    effects: effectsOf(store, workspace),
    close: async () => store.close?.(),
  };
}

async function openThread(
  store: ConversationStore,
  { id, workspace }: { readonly id: string; readonly workspace: string },
): Promise<PeerThread> {
  const conversation = await openLocalConversation(
    { storeAt: () => store },
    { store, id, agent: instantAgent(0), workspace },
  );
  const { events } = conversation.state;
  return {
    append: async (text) => void (await conversation.sendMessage(text)),
    last: async (count) => messagesIn(await events.slice(-count)),
    all: async () => messagesIn(await events.slice(0)),
    close: () => conversation.close(),
  };
}

/** A run has `maxIterations` for each call, and one for the message at its end. */
async function openRuns(
  store: ConversationStore,
  { id, workspace, calls }: { readonly id: string; readonly workspace: string; readonly calls: number },
): Promise<PeerRuns> {
  const conversation = await openLocalConversation(
    { storeAt: () => store },
    { store, id, agent: instantAgent(calls), workspace },
  );
  return {
    run: async () => {
      await conversation.sendMessage('go on');
      await conversation.run({ maxIterations: calls * 2 });
    },
    close: () => conversation.close(),
  };
}

async function listAll(store: ConversationStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let page: string | undefined, isFirst = true; isFirst || page !== undefined; isFirst = false) {
    const { items, next } = await store.list({ limit: 100, ...(page !== undefined && { page }) });
    ids.push(...items.map(({ id }) => id));
    page = next;
  }
  return ids;
}

function messagesIn(events: readonly Event[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind !== 'MessageEvent') return [];
    const { llm_message: message } = event as unknown as { llm_message: { content: readonly { text?: string }[] } };
    return [message.content.map(({ text = '' }) => text).join('')];
  });
}
