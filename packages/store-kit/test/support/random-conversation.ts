import fc from 'fast-check';

import { ConversationState, type StatePatch } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, type CallRecord, type Journal } from '@conv/core/store';

/** A change of a conversation. Numbers choose among the events that are there. */
export type Step =
  | { readonly do: 'say'; readonly messages: number }
  | { readonly do: 'branch' | 'navigate'; readonly which: number }
  | { readonly do: 'update'; readonly patch: StatePatch }
  | { readonly do: 'record'; readonly tokens: number }
  | { readonly do: 'reopen' };

const patches = fc.constantFrom<StatePatch[]>(
  { set: { title: 'title' } },
  { unset: ['title'] },
  { add: { tags: { a: '1' } } },
  { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } },
);

/** Changes of every part that a commit has: events, patches and call records, by one owner after another. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('say' as const), messages: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ do: fc.constantFrom('branch' as const, 'navigate' as const), which: fc.nat(40) }),
    fc.record({ do: fc.constant('update' as const), patch: patches }),
    fc.record({ do: fc.constant('record' as const), tokens: fc.nat(1000) }),
    fc.constant<Step>({ do: 'reopen' }),
  ),
  { maxLength: 40, size: 'max' },
);

/** A conversation in memory that changes step by step. */
export class RandomConversation {
  readonly store: MemoryStore = new MemoryStore();
  readonly id = '00000000-0000-4000-8000-000000000001';
  journal!: Journal;
  state!: ConversationState;
  #messages = 0;

  static async begin(): Promise<RandomConversation> {
    const conversation = new RandomConversation();
    await conversation.#open();
    return conversation;
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'say') {
      await this.state.append(Array.from({ length: step.messages }, () => this.#message()));
    } else if (step.do === 'branch') {
      const parent = await this.#eventId(step.which);
      await this.state.append([{ ...this.#message(), ...(parent && { parent_id: parent }) }]);
    } else if (step.do === 'navigate') {
      const target = (await this.#eventId(step.which)) ?? null;
      await this.state.transaction((transaction) => transaction.moveHead(target));
    } else if (step.do === 'update') {
      await this.state.update(step.patch);
    } else if (step.do === 'record') {
      await this.state.transaction((transaction) => transaction.record(callRecord(step.tokens)));
    } else {
      await this.state.close();
      await this.#open();
    }
  }

  async #open(): Promise<void> {
    this.journal = await this.store.open(this.id, { owner: 'test' });
    this.state = await ConversationState.open(this.journal, { id: this.id });
  }

  #message(): ReturnType<typeof userMessage> {
    return userMessage(`message ${++this.#messages}`);
  }

  /** The id of an event; `undefined` for the place before the first. */
  async #eventId(which: number): Promise<string | undefined> {
    const { events } = this.state;
    return events.length === 0 ? undefined : (await events.at(which % (events.length + 1)))?.id;
  }
}

function callRecord(tokens: number): CallRecord {
  const usage = {
    promptTokens: tokens,
    completionTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const call = { usageId: 'agent', model: 'model', contextWindow: 1000, latency: 0.5, timestamp: 1 };
  return { kind: 'model_call', ...call, ...usage, cost: tokens / 1000, responseId: `response-${tokens}` };
}
