import type { ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk/unstable';
import type { EventDraft, EventDraftOfKind, Json } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';

import { boundedJson, boundedText, type MaskText } from './bounded.ts';
import { TerminalOutputs } from './terminal-outputs.ts';

const ENDED: ReadonlySet<string | null | undefined> = new Set(['completed', 'failed']);

/**
 * The tool calls of a program as events. The updates of a call are merged, and there is an event where readers have something new to
 * show: at the start, when the input is there, at each change of the status, and for a result behind the end. The last event of a call has all of it.
 */
export class ToolCalls {
  readonly #mask: MaskText;
  readonly #open = new Map<string, ToolCallUpdate>();
  /** The calls that have ended: programs tell more of them afterwards. */
  readonly #ended = new Map<string, ToolCallUpdate>();
  readonly #outputs = new TerminalOutputs();

  constructor(mask: MaskText) {
    this.#mask = mask;
  }

  /** The titles of the calls that have not ended, by their ids. */
  get open(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#open].map(([id, { title }]) => [id, boundedText(title ?? id, this.#mask)]));
  }

  /**
   * Takes what a question tells of its call, for its next event: the question itself shows it now, and changes no status. Returns the event of a call that is told of
   * for the first time.
   */
  ask({ status, ...call }: ToolCallUpdate): EventDraft | undefined {
    const isKnown = this.#open.has(call.toolCallId) || this.#ended.has(call.toolCallId);
    const draft = this.update(isKnown ? call : { ...call, status: status ?? 'pending' });
    return isKnown ? undefined : draft;
  }

  /** Takes an update. Returns the event that it makes due; `undefined` when there is nothing new to show. */
  update({ toolCallId: id, ...changes }: ToolCall | ToolCallUpdate): EventDraft | undefined {
    const ended = this.#ended.get(id);
    this.#outputs.add(id, changes._meta);
    const before = this.#open.get(id) ?? ended;
    const given = Object.entries(changes).filter(([, value]) => value !== undefined && value !== null);
    const call: ToolCallUpdate = { ...before, ...Object.fromEntries(given), toolCallId: id };
    for (const calls of [this.#open, this.#ended]) calls.delete(id);
    (ENDED.has(call.status) ? this.#ended : this.#open).set(id, call);
    const isResult = ended !== undefined && given.some(([name]) => name === 'content' || name === 'rawOutput');
    const isInput = isEmpty(before?.rawInput) && !isEmpty(call.rawInput);
    const isNew = before?.status !== call.status || !before || isInput || isResult;
    return isNew ? toolCallDraft(this.#outputs.shownIn(call), this.#mask) : undefined;
  }

  /** Ends the calls that are open. Returns their events. */
  close(status: 'completed' | 'failed'): readonly EventDraft[] {
    const calls = [...this.#open.values()].map((call) => ({ ...call, status }));
    for (const call of calls) this.#ended.set(call.toolCallId, call);
    this.#open.clear();
    return calls.map((call) => toolCallDraft(this.#outputs.shownIn(call), this.#mask));
  }
}

/** Drafts the event of a call, with the member names of OpenHands. */
export function toolCallDraft(call: ToolCallUpdate, mask: MaskText): EventDraftOfKind<'ACPToolCallEvent'> {
  const { toolCallId, title, status, kind, rawInput, rawOutput, content } = call;
  return {
    source: 'agent',
    tool_call_id: toolCallId,
    title: boundedText(title ?? toolCallId, mask),
    ...(status ? { status } : {}),
    ...(kind ? { tool_kind: kind } : {}),
    ...(rawInput === undefined ? {} : { raw_input: boundedJson(rawInput, mask) }),
    ...(rawOutput === undefined ? {} : { raw_output: boundedJson(rawOutput, mask) }),
    ...(content && content.length > 0 ? { content: contentOf(content, mask) } : {}),
    is_error: status === 'failed',
    kind: 'ACPToolCallEvent',
  };
}

function contentOf(content: readonly unknown[], mask: MaskText): readonly Json[] {
  const bounded = boundedJson(content, mask);
  if (Array.isArray(bounded)) return bounded.map(snakeNames);
  return [{ type: 'content', content: { type: 'text', text: bounded } }];
}

/** Renames members such as `oldText` to `old_text`, as OpenHands stores them. */
function snakeNames(value: Json): Json {
  if (Array.isArray(value)) return value.map(snakeNames);
  if (!isJsonObject(value)) return value;
  const toSnake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [toSnake(name), snakeNames(item as Json)]));
}

function isEmpty(input: unknown): boolean {
  return input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0);
}
