import { randomUUID } from 'node:crypto';

import { ConversationState, type StatePatch } from '@conv/core';
import { agentMessage, drafts, isEvent, userMessage, type Event, type EventDraft } from '@conv/core/events';
import { MemoryStore, type CallRecord, type Journal } from '@conv/core/store';

/** Names of things that happen to a conversation. */
export const ACTS = [
  'say',
  'call',
  'settle',
  'condense',
  'pause',
  'fail',
  'move',
  'branch',
  'set',
  'spend',
  'reopen',
] as const;

/** Something that happens to a conversation. The number chooses among what is there. */
export interface Act {
  readonly act: (typeof ACTS)[number];
  readonly number: number;
}

const CHANGES: readonly StatePatch[] = [
  { set: { title: 'title' } },
  { unset: ['title'] },
  { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } },
  { set: { executionStatus: 'idle' } },
  { set: { agent: { llm: { model: 'other' } } } },
];

/** A conversation whose log has branches, condensations and open calls, as chance has it. */
export class RandomLog {
  readonly id: string = randomUUID();
  readonly store: MemoryStore = new MemoryStore();
  journal!: Journal;
  state!: ConversationState;
  #count = 0;

  static async begin(): Promise<RandomLog> {
    const log = new RandomLog();
    await log.#open();
    return log;
  }

  async take({ act, number }: Act): Promise<void> {
    const { state } = this;
    const name = `${++this.#count}`;
    switch (act) {
      case 'say':
        return this.#add(number % 2 === 0 ? userMessage(name) : agentMessage({ content: name, llm_response_id: name }));
      case 'call':
        return this.#add(...Array.from({ length: 1 + (number % 3) }, (_, at) => toolCall(`${name}-${at}`, name)));
      case 'settle':
        return this.#settle(number, name);
      case 'condense':
        return this.#condense(number, name);
      case 'pause':
        return this.#add(number % 2 === 0 ? drafts.pause() : drafts.condensationRequest());
      case 'fail':
        return this.#add(drafts.conversationError('Failed', name, { kind: 'unknown', retryable: false }));
      case 'move': {
        const target = await this.#some(number);
        return state.transaction((transaction) => transaction.moveHead(target?.id ?? null));
      }
      case 'branch': {
        const parent = await this.#some(number);
        return this.#add({ ...userMessage(name), ...(parent ? { parent_id: parent.id } : {}) });
      }
      case 'set':
        return state.update(CHANGES[number % CHANGES.length] ?? {});
      case 'spend':
        return state.transaction((transaction) => transaction.record(spent(number)));
      case 'reopen':
        await state.close();
        return this.#open();
    }
  }

  async #open(): Promise<void> {
    const { id } = this;
    this.journal = await this.store.open(id, { owner: 'test' });
    this.state = await ConversationState.open(this.journal, { id });
  }

  async #add(...added: readonly EventDraft[]): Promise<void> {
    await this.state.append(added);
  }

  async #settle(number: number, name: string): Promise<void> {
    const open = this.state.pendingActions;
    const call = open[number % Math.max(1, open.length)];
    if (!call) return;
    await this.#add(number % 2 === 0 ? drafts.agentError(call, name) : drafts.userReject(call, name));
  }

  async #condense(number: number, name: string): Promise<void> {
    const forgotten = [await this.#some(number), await this.#some(number * 7)].flatMap((event) => event?.id ?? []);
    const summary = number % 2 === 0 ? { summary: name, summary_offset: number % 3 } : {};
    await this.#add(drafts.condensation({ forgotten_event_ids: forgotten, llm_response_id: name, ...summary }));
  }

  /** Resolves with some event; `undefined` for the place before the first. */
  async #some(number: number): Promise<Event | undefined> {
    const { events } = this.state;
    const event = await events.at(number % (events.length + 1));
    return event && !isEvent(event, 'ConversationStateUpdateEvent') ? event : undefined;
  }
}

export function toolCall(id: string, response: string): EventDraft {
  return drafts.action({
    action: { kind: 'MCPToolAction', data: { id } },
    tool_name: 'lookup',
    tool_call_id: id,
    tool_call: { id, name: 'lookup', arguments: '{}', origin: 'completion' },
    llm_response_id: response,
  });
}

/** A model call that cost a thousandth of `tokens`. */
export function spent(tokens: number): CallRecord {
  const none = { completionTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const call = { usageId: 'agent', model: 'model', contextWindow: 1000, latency: 0.1, timestamp: 1 };
  return { kind: 'model_call', ...none, ...call, cost: tokens / 1000, promptTokens: tokens, responseId: `${tokens}` };
}
