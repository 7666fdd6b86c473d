import type { ExecutionStatus } from '@conv/core';
import { joinedText } from '@conv/core/events';
import {
  argumentsOf,
  isClientCall,
  isFinish,
  questionNotes,
  type AnswerItem,
  type CallItem,
  type ItemChange,
  type TurnChange,
  type TurnItem,
} from '@conv/turns';

import { dataOf, decisionOf, filesIn, type UiChunk } from './ui-chunk.ts';

interface OpenAnswer {
  readonly id: string;
  /** The part that is open. */
  part?: 'text' | 'reasoning';
}

/**
 * Maps changes of a conversation to chunks of one message of the assistant. Each answer has a step of its own, so that `reset-step` takes
 * back what came of it when its pieces are void. Chunks of a call follow from what was told of it, so that a repetition changes nothing.
 */
export class TurnChunks {
  #open: OpenAnswer | undefined;
  /** The phases of calls that were told. */
  readonly #calls = new Map<string, string>();
  /** The calls whose decider was told. */
  readonly #decided = new Set<string>();
  /** True while the step of an answer waits for the call in the same event: a client that lost its connection between the two gets both again. */
  #isEnding = false;
  /** Chunks that would be taken back with the answer in progress. */
  readonly #held: UiChunk[] = [];

  /** True while chunks wait for the end of the answer in progress. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Returns the chunks of a change. */
  take(change: TurnChange): readonly UiChunk[] {
    if (change.type === 'piece') return [...this.#begin(change.id), ...this.#tell(change.part, change.text)];
    if (change.type === 'withdrawn') return this.#withdraw();
    if (change.type === 'item') return this.#item(change);
    if (change.type !== 'state') return [];
    const { status, metrics } = change;
    return [{ type: 'data-status', data: { status, ...metrics }, transient: true }];
  }

  /** Returns the last chunks, of a conversation that is at rest with this status. */
  end(status: ExecutionStatus): readonly UiChunk[] {
    return [...this.#withdraw(), ...this.#endStep(), { type: 'finish', finishReason: REASONS[status] ?? 'stop' }];
  }

  #begin(id: string): readonly UiChunk[] {
    if (this.#open) return [];
    this.#open = { id };
    return [{ type: 'start-step' }];
  }

  /** Tells a text as a part of the answer in progress; reasoning and text each open a part where the other was told before. */
  #tell(part: 'text' | 'reasoning', delta: string): readonly UiChunk[] {
    const open = this.#open;
    if (!open || delta === '') return [];
    const isNew = open.part !== part;
    const before = isNew ? this.#closePart(open) : [];
    open.part = part;
    const id = `${open.id}:${part}`;
    return [...before, ...(isNew ? [{ type: `${part}-start`, id }] : []), { type: `${part}-delta`, id, delta }];
  }

  #closePart(open: OpenAnswer): readonly UiChunk[] {
    const { part } = open;
    delete open.part;
    return part === undefined ? [] : [{ type: `${part}-end`, id: `${open.id}:${part}` }];
  }

  #withdraw(): readonly UiChunk[] {
    if (!this.#open) return [];
    this.#open = undefined;
    return [{ type: 'reset-step' }, { type: 'finish-step' }, ...this.#held.splice(0)];
  }

  #item({ item, streamed, cursor }: ItemChange): readonly UiChunk[] {
    if (item.kind === 'answer') {
      const told = this.#settle(item, streamed);
      this.#isEnding = true;
      return item.index <= cursor ? [...told, ...this.#endStep()] : told;
    }
    const chunks = item.kind === 'call' ? this.#call(item) : otherChunks(item);
    if (this.#isEnding) return [...chunks, ...this.#endStep()];
    if (!this.#open) return chunks;
    this.#held.push(...chunks);
    return [];
  }

  #settle({ id, reasoning, text, content }: AnswerItem, streamed: ItemChange['streamed']): readonly UiChunk[] {
    const begin = this.#begin(id);
    const rest = [
      ...this.#tell('reasoning', reasoning.slice(streamed.reasoning)),
      ...this.#tell('text', text.slice(streamed.text)),
    ];
    const end = this.#open ? this.#closePart(this.#open) : [];
    this.#open = undefined;
    return [...begin, ...rest, ...end, ...filesIn(content)];
  }

  #endStep(): readonly UiChunk[] {
    if (!this.#isEnding) return [];
    this.#isEnding = false;
    return [{ type: 'finish-step' }, ...this.#held.splice(0)];
  }

  #call(call: CallItem): readonly UiChunk[] {
    const told = this.#calls.get(call.id);
    const phase = call.result?.outcome ?? call.phase;
    if (told === phase || (told === undefined && isFinish(call))) return [];
    this.#calls.set(call.id, phase);
    const wasAsked = told === 'waiting' || told === 'approved';
    const decided = this.#decided.has(call.id) ? [] : decisionOf(call);
    if (decided.length > 0) this.#decided.add(call.id);
    const progress = progressOf(call, wasAsked, told === 'approved');
    return [...(told === undefined ? [inputOf(call)] : []), ...progress, ...decided];
  }
}

const REASONS: Partial<Record<ExecutionStatus, 'stop' | 'tool-calls' | 'error' | 'interrupted'>> = {
  waiting_for_confirmation: 'tool-calls',
  // the run waits for the page to answer a call
  running: 'tool-calls',
  error: 'error',
  stuck: 'error',
  paused: 'interrupted',
};

function inputOf(call: CallItem): UiChunk {
  const { actionId: toolCallId, tool: toolName, summary } = call;
  const given = { input: argumentsOf(call), dynamic: true, providerExecuted: !isClientCall(call) };
  return { type: 'tool-input-available', toolCallId, toolName, ...given, title: summary || undefined };
}

function progressOf(call: CallItem, wasAsked: boolean, wasAnswered: boolean): readonly UiChunk[] {
  const { actionId: toolCallId, phase, result } = call;
  const request = { type: 'tool-approval-request', approvalId: toolCallId, toolCallId };
  const asked: readonly UiChunk[] = wasAsked ? [] : [request];
  const answer = (approved: boolean, reason?: string): UiChunk => ({
    type: 'tool-approval-response',
    approvalId: toolCallId,
    approved,
    reason,
  });
  if (phase === 'waiting') return [{ ...request, reason: questionNotes(call).join('; ') || undefined }];
  if (phase === 'approved') return [...asked, answer(true)];
  if (!result) return [];
  const text = joinedText(result.content);
  if (result.outcome === 'rejected') return [...asked, answer(false, text), { type: 'tool-output-denied', toolCallId }];
  const approved = wasAsked && !wasAnswered ? [answer(true)] : [];
  if (result.outcome === 'output')
    return [...approved, { type: 'tool-output-available', toolCallId, output: text }, ...filesIn(result.content)];
  return [...approved, { type: 'tool-output-error', toolCallId, errorText: text }];
}

function otherChunks(item: Exclude<TurnItem, AnswerItem | CallItem>): readonly UiChunk[] {
  if (item.kind === 'error') return [{ type: 'error', errorText: `${item.code}: ${item.detail}` }];
  // the page has the messages of its user already
  return item.kind === 'message' && item.from === 'user' ? [] : [dataOf(item)];
}
