import fc from 'fast-check';

import { systemPlatform } from '../../src/platform/index.ts';
import { agentMessage, isEvent, userMessage, type ActionEvent, type EventDraft } from '../../src/events/index.ts';
import { action, agentError, observation, userReject } from '../../src/events/tool-call-drafts.ts';
import {
  condensation,
  condensationRequest,
  conversationError,
  interrupt,
  pause,
} from '../../src/events/conversation-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import type { StatePatch } from '../../src/contract/state/patch.ts';
import type { CallRecord, Journal } from '../../src/store/index.ts';
import { MemoryStore } from '../../src/store/index.ts';

/** Step in the life of a conversation. Numbers choose among the items that there are. */
export type Step =
  | { readonly do: 'say' | 'answer' | 'request' | 'pause' | 'interrupt' | 'fail' | 'notice' }
  | { readonly do: 'crash' }
  | { readonly do: 'reopen' }
  | { readonly do: 'rest' }
  | { readonly do: 'act'; readonly calls: readonly boolean[]; readonly thinking: boolean }
  | { readonly do: 'result'; readonly which: number; readonly how: 'observation' | 'reject' | 'error' }
  | { readonly do: 'condense'; readonly forget: readonly number[]; readonly offset: number | undefined }
  | { readonly do: 'navigate'; readonly which: number }
  | { readonly do: 'branch'; readonly which: number }
  | { readonly do: 'update'; readonly patch: StatePatch }
  | { readonly do: 'record'; readonly tokens: number };

const patches: fc.Arbitrary<StatePatch> = fc.constantFrom<StatePatch[]>(
  { set: { title: 'title' } },
  { unset: ['title'] },
  { add: { tags: { a: '1' } } },
  { set: { executionStatus: 'running' } },
  { set: { executionStatus: 'idle' } },
  { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } },
  { add: { agentState: { note: 1 } } },
  { set: { lastRun: { phase: 'waiting', maxIterations: 9, iterationsBefore: 1, costBefore: 0, takeovers: 2 } } },
  { unset: ['lastRun'] },
);

const quiet: fc.Arbitrary<Step>[] = [
  fc.constantFrom<Step[]>({ do: 'say' }, { do: 'answer' }, { do: 'request' }, { do: 'pause' }, { do: 'fail' }),
  fc.constantFrom<Step[]>({ do: 'interrupt' }, { do: 'notice' }),
  fc.record({
    do: fc.constant('act' as const),
    calls: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
    thinking: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('result' as const),
    which: fc.nat(3),
    how: fc.constantFrom('observation' as const, 'reject' as const, 'error' as const),
  }),
  fc.record({
    do: fc.constant('condense' as const),
    forget: fc.array(fc.nat(30), { maxLength: 6 }),
    offset: fc.option(fc.nat(4), { nil: undefined }),
  }),
  fc.record({ do: fc.constant('navigate' as const), which: fc.nat(40) }),
  fc.record({ do: fc.constant('branch' as const), which: fc.nat(40) }),
  fc.record({ do: fc.constant('update' as const), patch: patches }),
  fc.record({ do: fc.constant('record' as const), tokens: fc.nat(1000) }),
];

/** Anything that can happen, crashes, reopenings and rests included. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(...quiet, fc.constantFrom<Step[]>({ do: 'crash' }, { do: 'reopen' }, { do: 'rest' })),
  { maxLength: 40, size: 'max' },
);

/** A conversation to which things happen. */
export class RandomHistory {
  readonly store: MemoryStore = new MemoryStore();
  readonly id = '00000000-0000-4000-8000-000000000001';
  journal!: Journal;
  state!: ConversationState;
  #counter = 0;

  static async begin(): Promise<RandomHistory> {
    const history = new RandomHistory();
    await history.open();
    return history;
  }

  async open(): Promise<void> {
    this.journal = await this.store.open(this.id, { owner: 'test' });
    let ids = this.#counter * 1000;
    const id = (): string => `00000000-0000-4000-8000-${String(++ids + 1000 * ++this.#counter).padStart(12, '0')}`;
    this.state = await ConversationState.open(this.journal, { id: this.id }, { platform: { ...systemPlatform, id } });
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'crash') {
      // without the state's own close no snapshot is kept
      await this.journal.close();
      await this.open();
    } else if (step.do === 'reopen') {
      await this.state.close();
      await this.open();
    } else if (step.do === 'rest') {
      await this.state.modelView();
      await this.state.rest();
    } else if (step.do === 'update') {
      await this.state.update(step.patch);
    } else if (step.do === 'record') {
      await this.state.transaction((transaction) => transaction.record(callRecord(step.tokens)));
    } else if (step.do === 'navigate') {
      const target = await this.#eventId(step.which);
      await this.state.transaction((transaction) => transaction.moveHead(target ?? null));
    } else {
      const drafts = await this.#drafts(step);
      if (drafts.length > 0) await this.state.append(drafts);
    }
  }

  async #drafts(
    step: Exclude<Step, { do: 'update' | 'record' | 'navigate' | 'crash' | 'reopen' | 'rest' }>,
  ): Promise<readonly EventDraft[]> {
    const unique = `${++this.#counter}`;
    switch (step.do) {
      case 'say':
        return [userMessage(`say ${unique}`)];
      case 'answer':
        return [agentMessage({ content: `answer ${unique}`, llm_response_id: `response-${unique}` })];
      case 'request':
        return [condensationRequest()];
      case 'pause':
        return [pause()];
      case 'interrupt':
        return [interrupt()];
      case 'fail':
        return [conversationError('MaxIterationsReached', 'stop', { kind: 'unknown', retryable: false })];
      case 'notice':
        return [{ source: 'environment', key: 'title', value: unique, kind: 'ConversationStateUpdateEvent' }];
      case 'act':
        return step.calls.map((executable, at) =>
          call(`${unique}-${at}`, `response-${unique}`, executable, step.thinking && at === 0),
        );
      case 'result':
        return this.#result(step);
      case 'condense':
        return this.#condense(step);
      case 'branch': {
        const parent = await this.#eventId(step.which);
        return [{ ...userMessage(`branch ${unique}`), ...(parent === undefined ? {} : { parent_id: parent }) }];
      }
      default:
        return step satisfies never;
    }
  }

  #result({ which, how }: { which: number; how: 'observation' | 'reject' | 'error' }): readonly EventDraft[] {
    const open: readonly ActionEvent[] = this.state.pendingActions;
    const event = open[which % Math.max(1, open.length)];
    if (!event) return [];
    if (how === 'error') return [agentError(event, 'failed')];
    if (how === 'reject') return [userReject(event)];
    return [
      observation(event, {
        kind: 'MCPToolObservation',
        content: [{ type: 'text', text: 'done' }],
        tool_name: event.tool_name,
      }),
    ];
  }

  async #condense({
    forget,
    offset,
  }: {
    forget: readonly number[];
    offset: number | undefined;
  }): Promise<readonly EventDraft[]> {
    const ids: string[] = [];
    for (const which of forget) {
      const id = await this.#eventId(which);
      if (id !== undefined) ids.push(id);
    }
    const summary = offset === undefined ? {} : { summary: 'so far', summary_offset: offset };
    return [condensation({ forgotten_event_ids: ids, llm_response_id: `condense-${++this.#counter}`, ...summary })];
  }

  /** The id of some event that can be continued from; `undefined` for the place before the first. */
  async #eventId(which: number): Promise<string | undefined> {
    const { events } = this.state;
    const event = events.length === 0 ? undefined : await events.at(which % (events.length + 1));
    return event && !isEvent(event, 'ConversationStateUpdateEvent') ? event.id : undefined;
  }
}

/** A tool call. */
export function call(id: string, response: string, executable = true, thinking = false): EventDraft {
  const [toolName, toolCallId] = ['lookup', `call-${id}`];
  return action({
    ...(executable ? { action: { kind: 'MCPToolAction', data: { key: id } } } : {}),
    tool_name: toolName,
    tool_call_id: toolCallId,
    tool_call: { id: toolCallId, name: toolName, arguments: '{}', origin: 'completion' },
    llm_response_id: response,
    ...(thinking ? { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] } : {}),
  });
}

export function callRecord(tokens: number): CallRecord {
  return {
    kind: 'model_call',
    usageId: 'agent',
    model: 'model',
    cost: tokens / 1000,
    promptTokens: tokens,
    completionTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    contextWindow: 1000,
    latency: 0.5,
    responseId: `response-${tokens}`,
    timestamp: 1,
  };
}
