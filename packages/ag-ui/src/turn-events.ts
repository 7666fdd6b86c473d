import type { Message } from '@ag-ui/core';
import { joinedText } from '@conv/core/events';
import {
  isClientCall,
  isFinish,
  type AnswerItem,
  type CallItem,
  type MessageItem,
  type TurnChange,
  type TurnItem,
} from '@conv/turns';

import { activitiesOf, reasoningId, resultMessage } from './history-messages.ts';
import type { AgUiEvent } from './wire.ts';

/** Stands for all messages of the log up to here, which take the place of what the client has. */
export const SNAPSHOT = 'snapshot';

/** An event, or a place where the client is to get all messages. */
export type Told = AgUiEvent | typeof SNAPSHOT;

type Part = 'text' | 'reasoning';

/** The id of an answer in progress on servers that do not tell it. */
const UNNAMED = 'answer';

/** The answer in progress. Only one of its parts is open at a time. */
interface OpenAnswer {
  readonly id: string;
  readonly told: Record<Part, string>;
  part?: Part | undefined;
}

/**
 * Maps changes of a conversation to events. Invariant: a client that applies them has the messages that `historyMessages` returns. Pieces
 * that are void are taken back by a snapshot without them. No event is sent twice, so that a repetition changes nothing.
 */
export class TurnEvents {
  readonly #names: ReadonlyMap<string, string>;
  /** The messages and calls that the client has. */
  readonly #told = new Set<string>();
  /** Calls for the client that have no result, as the client was told in this run. */
  readonly #announced = new Set<string>();
  readonly #void = new Set<string>();
  #open: OpenAnswer | undefined;

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
  }

  /** Takes in what the client has got as a snapshot. */
  known(messages: readonly Message[]): void {
    for (const message of messages) {
      this.#told.add(message.id);
      if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) this.#told.add(callKey(id));
    }
  }

  /** Returns the events of a change. */
  take(change: TurnChange): readonly Told[] {
    if (change.type === 'piece') return this.#piece(change.id, change.part, change.text);
    if (change.type === 'withdrawn') return this.end();
    return change.type === 'item' ? this.#item(change.item) : [];
  }

  /** Takes back the answer in progress. */
  end(): readonly Told[] {
    const open = this.#open;
    if (!open) return [];
    const closed = this.#close(open);
    this.#open = undefined;
    if (open.told.reasoning !== '') this.#void.add(reasoningId(open.id || UNNAMED));
    return [...closed, SNAPSHOT];
  }

  /** The calls that the client is to answer, in their order. */
  get announced(): readonly string[] {
    return [...this.#announced];
  }

  /** The ids of reasoning messages that were told and taken back. */
  get withdrawnReasoning(): readonly string[] {
    return [...this.#void];
  }

  #piece(id: string, part: Part, text: string): readonly Told[] {
    const before = this.#open?.id === id ? [] : this.#begin(id);
    return [...before, ...this.#tell(part, text)];
  }

  #begin(id: string): readonly Told[] {
    const before = this.end();
    this.#open = { id, told: { text: '', reasoning: '' } };
    return before;
  }

  #tell(part: Part, delta: string): readonly AgUiEvent[] {
    const open = this.#open;
    if (!open || delta === '') return [];
    const isNew = open.part !== part;
    const before = isNew ? this.#close(open) : [];
    open.part = part;
    open.told[part] += delta;
    const id = open.id || UNNAMED;
    if (part === 'text') {
      const start: AgUiEvent = { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' };
      return [...before, ...(isNew ? [start] : []), { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta }];
    }
    const messageId = reasoningId(id);
    const start: readonly AgUiEvent[] = [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ];
    return [...before, ...(isNew ? start : []), { type: 'REASONING_MESSAGE_CONTENT', messageId, delta }];
  }

  #close(open: OpenAnswer): readonly AgUiEvent[] {
    const { part } = open;
    const id = open.id || UNNAMED;
    open.part = undefined;
    if (part === undefined) return [];
    if (part === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId: id }];
    const messageId = reasoningId(id);
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  #item(item: TurnItem): readonly Told[] {
    if (item.kind === 'call') return this.#call(item);
    if (item.kind === 'error' || this.#isTold(item.id)) return [];
    const told = item.kind === 'answer' ? this.#answer(item) : item.kind === 'message' ? this.#message(item) : [];
    const shown = activitiesOf(item).map(({ id, activityType, content }): AgUiEvent => {
      return { type: 'ACTIVITY_SNAPSHOT', messageId: id, activityType, content: { ...content } };
    });
    return [...told, ...shown];
  }

  #answer(item: AnswerItem): readonly Told[] {
    const told = this.#open?.id === item.id ? this.#open.told : undefined;
    const fits = told && item.text.startsWith(told.text) && item.reasoning.startsWith(told.reasoning);
    const before = fits ? [] : this.#begin(item.id);
    const reasoning = this.#tell('reasoning', item.reasoning.slice(fits ? told.reasoning.length : 0));
    const text = this.#tell('text', item.text.slice(fits ? told.text.length : 0));
    const end = this.#open ? this.#close(this.#open) : [];
    this.#open = undefined;
    return [...before, ...reasoning, ...text, ...end];
  }

  /** Returns the events of a message that another client sent; messages of this client are in its first snapshot. */
  #message({ id, from, content }: MessageItem): readonly Told[] {
    const messageId = this.#names.get(id) ?? id;
    if (from !== 'user' || this.#isTold(messageId)) return [];
    const delta = joinedText(content);
    // pieces are text
    if (content.some((part) => 'image_urls' in part)) return [...this.end(), SNAPSHOT];
    return [
      { type: 'TEXT_MESSAGE_START', messageId, role: 'user' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
      { type: 'TEXT_MESSAGE_END', messageId },
    ];
  }

  #call(call: CallItem): readonly AgUiEvent[] {
    const { actionId: toolCallId, tool: toolCallName, input: delta } = call;
    const key = callKey(toolCallId);
    if (!this.#told.has(key) && isFinish(call)) return [];
    const isKnown = this.#told.has(key);
    const begin: AgUiEvent = { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: toolCallId };
    const end: AgUiEvent = { type: 'TOOL_CALL_END', toolCallId };
    const events: AgUiEvent[] = isKnown ? [] : [begin, { type: 'TOOL_CALL_ARGS', toolCallId, delta }, end];
    this.#told.add(key);
    if (isClientCall(call) && !call.result && !this.#announced.has(toolCallId)) {
      this.#announced.add(toolCallId);
      // told again, its arguments would be doubled
      if (isKnown) events.push(begin, end);
    }
    const result = resultMessage(call, this.#names);
    if (!result || this.#isTold(result.id)) return events;
    this.#announced.delete(toolCallId);
    const { id: messageId, role, ...more } = result;
    return [...events, { type: 'TOOL_CALL_RESULT', messageId, role, ...more }];
  }

  /** Returns true if the client has a message; from now on it does. */
  #isTold(id: string): boolean {
    if (this.#told.has(id)) return true;
    this.#told.add(id);
    return false;
  }
}

function callKey(actionId: string): string {
  return `call:${actionId}`;
}
