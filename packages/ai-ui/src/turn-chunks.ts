import type { ExecutionStatus } from '@conv/core';
import { joinedText } from '@conv/core/events';
import type { AnswerItem, CallItem, PieceChange, TurnChange, TurnItem } from '@conv/turns';

import { dataOf, filesIn, type UiChunk } from './ui-chunk.ts';

interface OpenAnswer {
  readonly id: string;
  readonly told: { text: string; reasoning: string };
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
  /** Chunks that would be taken back with the answer in progress. */
  readonly #held: UiChunk[] = [];

  /** True while chunks wait for the end of the answer in progress. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Returns the chunks of a change. */
  take(change: TurnChange): readonly UiChunk[] {
    if (change.type === 'piece') return this.#piece(change);
    if (change.type === 'withdrawn') return this.#withdraw();
    if (change.type === 'item') return this.#item(change.item);
    if (change.type !== 'state') return [];
    const { status, metrics } = change;
    return [{ type: 'data-status', data: { status, ...metrics }, transient: true }];
  }

  /** Returns the last chunks, of a conversation that has come to rest with this status. */
  end(status: ExecutionStatus): readonly UiChunk[] {
    return [...this.#withdraw(), { type: 'finish', finishReason: REASONS[status] ?? 'stop' }];
  }

  #piece({ id, part, text }: PieceChange): readonly UiChunk[] {
    const open = this.#open?.id === id ? this.#open : undefined;
    return [...(open ? [] : this.#begin(id)), ...this.#tell(part, text)];
  }

  #begin(id: string): readonly UiChunk[] {
    const before = this.#withdraw();
    this.#open = { id, told: { text: '', reasoning: '' } };
    return [...before, { type: 'start-step' }];
  }

  /** Tells a text as a part of the answer in progress; reasoning and text each open a part where the other was told before. */
  #tell(part: 'text' | 'reasoning', delta: string): readonly UiChunk[] {
    const open = this.#open;
    if (!open || delta === '') return [];
    const isNew = open.part !== part;
    const before = isNew ? this.#closePart(open) : [];
    open.part = part;
    open.told[part] += delta;
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

  #item(item: TurnItem): readonly UiChunk[] {
    if (item.kind === 'answer') return this.#settle(item);
    const chunks = item.kind === 'call' ? this.#call(item) : otherChunks(item);
    if (!this.#open) return chunks;
    this.#held.push(...chunks);
    return [];
  }

  #settle(item: AnswerItem): readonly UiChunk[] {
    const told = this.#open?.id === item.id ? this.#open.told : undefined;
    const fits = told && item.text.startsWith(told.text) && item.reasoning.startsWith(told.reasoning);
    const before = fits ? [] : this.#begin(item.id);
    const reasoning = this.#tell('reasoning', item.reasoning.slice(fits ? told.reasoning.length : 0));
    const text = this.#tell('text', item.text.slice(fits ? told.text.length : 0));
    const end = this.#open ? this.#closePart(this.#open) : [];
    this.#open = undefined;
    const files = filesIn(item.content);
    return [...before, ...reasoning, ...text, ...end, ...files, { type: 'finish-step' }, ...this.#held.splice(0)];
  }

  #call(call: CallItem): readonly UiChunk[] {
    const told = this.#calls.get(call.id);
    const phase = call.result?.outcome ?? call.phase;
    // a finish call is told as the answer that it gives, unless a person or a hook has a say
    const isHidden =
      call.action?.kind === 'FinishAction' && told === undefined && ['open', 'started', 'output'].includes(phase);
    if (isHidden || told === phase) return [];
    this.#calls.set(call.id, phase);
    const wasAsked = told === 'waiting' || told === 'approved';
    return [...(told === undefined ? [inputOf(call)] : []), ...progressOf(call, wasAsked, told === 'approved')];
  }
}

const REASONS: Partial<Record<ExecutionStatus, 'stop' | 'tool-calls' | 'error' | 'interrupted'>> = {
  waiting_for_confirmation: 'tool-calls',
  error: 'error',
  stuck: 'error',
  paused: 'interrupted',
};

/** True if the client of the chat executes the call. */
export function isClientCall({ action }: CallItem): boolean {
  return action?.kind.startsWith('ClientAction_') === true;
}

/** Returns the arguments of a call: JSON, or the text that the model wrote. */
export function argumentsOf({ input }: CallItem): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

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
  if (phase === 'waiting') return [call.reasons.length > 0 ? { ...request, reason: call.reasons.join('; ') } : request];
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
