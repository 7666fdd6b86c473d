import type { OpenAI } from 'openai';

import { answerLines, callLine } from './lines-of.ts';

type Item = OpenAI.Responses.ResponseOutputItem;
type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

/**
 * The output of one response as a client of OpenAI's API shows it: deltas written behind each other, and the final response when it has come.
 * Text cannot be taken back, so items that end as incomplete, or have not ended with the response, are void, and the final response does not have them.
 */
export class ResponseDisplay {
  readonly text: string;
  /** The id of the response, when the client knows it. */
  id: string | undefined;
  /** The number of the last event that came. */
  last: number | undefined;
  isOver = false;
  /** True if something has come of the request. */
  hasBegun = false;
  readonly #told = new Map<string, string>();
  readonly #items = new Map<string, Item>();
  readonly #ended = new Set<string>();
  #final: OpenAI.Responses.Response | undefined;

  /** @param text the message of the user; `''` if the request had none */
  constructor(text: string, id?: string) {
    this.text = text;
    this.id = id;
  }

  take(event: StreamEvent): void {
    this.last = event.sequence_number;
    this.hasBegun ||= !['response.created', 'response.queued', 'response.in_progress'].includes(event.type);
    if (event.type === 'response.created') this.id = event.response.id;
    if (event.type === 'response.output_item.added') this.#begin(event.item);
    if (event.type === 'response.output_text.delta' || event.type === 'response.reasoning_summary_text.delta')
      this.#write(keyOf(event.item_id), event.delta);
    if (event.type === 'response.output_item.done') this.#end(event.item);
    if (
      event.type === 'response.completed' ||
      event.type === 'response.failed' ||
      event.type === 'response.incomplete'
    ) {
      this.#final = event.response;
      this.isOver = true;
    }
  }

  /** Returns what it shows: what the stream told, in the order of the final response. */
  lines(): readonly string[] {
    const items = [...this.#items.values()].filter((item) => !this.isOver || this.#ended.has(keyOf(item.id)));
    const streamed = items.flatMap((item) => this.#linesOf(item));
    const final = (this.#final?.output ?? []).flatMap((item) => linesOf(item));
    const error = this.#final?.error ? [`error: ${this.#final.error.message.split(':')[0]}`] : [];
    const rest = [...streamed];
    const ordered = final.filter((line) => {
      const at = rest.indexOf(line);
      if (at >= 0) rest.splice(at, 1);
      return at >= 0;
    });
    return [...(this.text === '' ? [] : [`user: ${this.text}`]), ...ordered, ...rest, ...error];
  }

  #write(id: string, delta: string): void {
    this.#told.set(id, (this.#told.get(id) ?? '') + delta);
  }

  #begin(item: Item): void {
    const id = keyOf(item.id);
    this.#told.delete(id);
    this.#ended.delete(id);
    this.#items.set(id, item);
  }

  #end(item: Item): void {
    const id = keyOf(item.id);
    if ('status' in item && item.status === 'incomplete') {
      this.#items.delete(id);
      this.#told.delete(id);
    } else {
      this.#items.set(id, item);
      this.#ended.add(id);
    }
  }

  /** The text of an item is what its deltas say. */
  #linesOf(item: Item): readonly string[] {
    const told = this.#told.get(keyOf(item.id)) ?? '';
    if (item.type === 'message') return answerLines('', told);
    return item.type === 'reasoning' ? answerLines(told, '') : linesOf(item);
  }
}

/** An answer that is told again has a number behind its id. */
function keyOf(id: string | null | undefined): string {
  return String(id).replace(/_\d+$/, '');
}

function linesOf(item: Item): readonly string[] {
  if (item.type === 'message') return answerLines('', textOf(item.content));
  if (item.type === 'reasoning') return answerLines(textOf(item.summary), '');
  if (item.type !== 'mcp_call') return [];
  const error: unknown = item.error;
  const result = typeof error === 'string' ? `failed ${error}` : `output ${item.output ?? ''}`;
  return [callLine(item.id.replace(/^mcp_/, ''), item.name, JSON.parse(item.arguments), result)];
}

function textOf(parts: readonly object[]): string {
  return parts.map((part) => ('text' in part ? String(part.text) : '')).join('');
}
