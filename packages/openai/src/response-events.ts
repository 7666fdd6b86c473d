import type { TurnChange, TurnItem } from '@conv/turns';

import { messageItem, reasoningItem, type OutputItem } from './output-items.ts';

/** An event of a response's stream, without its number. */
export interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Part = 'text' | 'reasoning';

/** An item in progress. */
interface Open {
  readonly item: OutputItem;
  readonly index: number;
  said: string;
}

/** The names of the parts in types of events, and of their place. */
const NAMES = {
  text: { part: 'content_part', text: 'output_text', at: 'content_index' },
  reasoning: { part: 'reasoning_summary_part', text: 'reasoning_summary_text', at: 'summary_index' },
} as const;

/**
 * Maps changes to events of a response. Invariant: each item that was added is done before the next answer begins. Pieces that are
 * void end their item as `incomplete`; the answer that takes their place is another item, and the final response has it alone.
 */
export class ResponseEvents {
  #next: number;
  readonly #open = new Map<'text' | 'reasoning', Open>();
  #answer: string | undefined;
  readonly #told = new Set<string>();
  /** Counts the attempts that are void, of each answer. */
  readonly #void = new Map<string, number>();

  /** @param next the number of items that the client has */
  constructor(next: number) {
    this.#next = next;
  }

  /**
   * Returns the events of a change.
   * @param items returns the items of the output that a turn's item is now
   */
  take(change: TurnChange, items: (item: TurnItem) => readonly OutputItem[]): readonly ResponseEvent[] {
    if (change.type === 'withdrawn') return this.withdraw();
    if (change.type === 'piece') {
      this.#answer = change.id;
      return this.#tell(change.part, change.text);
    }
    if (change.type !== 'item') return [];
    const { item, streamed } = change;
    if (item.kind !== 'answer') return items(item).flatMap((each) => this.#whole(each));
    this.#answer = item.id;
    const reasoning = this.#tell('reasoning', item.reasoning.slice(streamed.reasoning));
    const text = this.#tell('text', item.text.slice(streamed.text));
    this.#answer = undefined;
    return [...reasoning, ...text, ...this.#end('reasoning'), ...this.#end('text')];
  }

  /** Returns the events for what was told of an answer that does not come. */
  withdraw(): readonly ResponseEvent[] {
    const answer = this.#answer;
    if (answer !== undefined && this.#open.size > 0) this.#void.set(answer, (this.#void.get(answer) ?? 1) + 1);
    this.#answer = undefined;
    const open = [...this.#open];
    this.#open.clear();
    return open.map(([part, { item, index }]) => ended(index, { ...item, ...contentOf(part), status: 'incomplete' }));
  }

  #tell(part: Part, delta: string): readonly ResponseEvent[] {
    if (delta === '') return [];
    const isFirst = !this.#open.has(part);
    const open = this.#open.get(part) ?? this.#begin(part);
    open.said += delta;
    const place = placeOf(part, open);
    const item = { ...open.item, ...contentOf(part), ...(part === 'text' ? { status: 'in_progress' } : {}) };
    const begin = [
      { type: 'response.output_item.added', output_index: open.index, item },
      { type: `response.${NAMES[part].part}.added`, ...place, part: partOf(part, '') },
    ];
    return [...(isFirst ? begin : []), { type: `response.${NAMES[part].text}.delta`, ...place, delta, logprobs: [] }];
  }

  #begin(part: Part): Open {
    const answer = this.#answer ?? '';
    const attempt = this.#void.get(answer);
    // an item has its id for itself
    const id = attempt === undefined ? answer : `${answer}_${attempt}`;
    const item = part === 'text' ? messageItem({ id, text: '' }) : reasoningItem({ id, reasoning: '' });
    const open = { item, index: this.#next++, said: '' };
    this.#open.set(part, open);
    return open;
  }

  #end(part: Part): readonly ResponseEvent[] {
    const open = this.#open.get(part);
    if (!open) return [];
    this.#open.delete(part);
    const { item, index, said: text } = open;
    const place = placeOf(part, open);
    return [
      { type: `response.${NAMES[part].text}.done`, ...place, text, logprobs: [] },
      { type: `response.${NAMES[part].part}.done`, ...place, part: partOf(part, text) },
      ended(index, { ...item, ...contentOf(part, text) }),
    ];
  }

  #whole(item: OutputItem): readonly ResponseEvent[] {
    if (this.#told.has(item.id)) return [];
    this.#told.add(item.id);
    const output_index = this.#next++;
    const added = { type: 'response.output_item.added', output_index };
    if (item.type === 'mcp_approval_request') return [{ ...added, item }, ended(output_index, item)];
    const { arguments: given, name } = item;
    const kind = `response.${item.type}_arguments`;
    const place = { item_id: item.id, output_index };
    return [
      { ...added, item: { ...item, arguments: '' } },
      { type: `${kind}.delta`, ...place, delta: given },
      { type: `${kind}.done`, ...place, name, arguments: given },
      ended(output_index, item),
    ];
  }
}

function ended(output_index: number, item: OutputItem): ResponseEvent {
  return { type: 'response.output_item.done', output_index, item };
}

function placeOf(part: Part, { item, index }: Open): object {
  return { item_id: item.id, output_index: index, [NAMES[part].at]: 0 };
}

function partOf(part: Part, text: string): object {
  return part === 'text' ? { type: 'output_text', text, annotations: [] } : { type: 'summary_text', text };
}

/** Returns the content of an item as its only part, if it has any. */
function contentOf(part: Part, text?: string): object {
  return { [part === 'text' ? 'content' : 'summary']: text === undefined ? [] : [partOf(part, text)] };
}
