import type { TurnChange, TurnItem } from '@conv/turns';

import { messageItem, reasoningItem, type OutputItem } from './output-items.ts';

/** An event of a response's stream, without its number. */
export interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Open {
  readonly item: OutputItem;
  readonly index: number;
  said: string;
}

const PARTS = {
  text: { part: 'content_part', text: 'output_text', index: 'content_index', type: 'output_text' },
  reasoning: {
    part: 'reasoning_summary_part',
    text: 'reasoning_summary_text',
    index: 'summary_index',
    type: 'summary_text',
  },
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
    if (change.type === 'piece') return this.#piece(change.id, change.part, change.text);
    if (change.type === 'withdrawn') return this.#withdraw();
    if (change.type !== 'item') return [];
    const { item } = change;
    if (item.kind !== 'answer') return items(item).flatMap((each) => this.#whole(each));
    const fits =
      this.#answer === item.id &&
      item.text.startsWith(this.#said('text')) &&
      item.reasoning.startsWith(this.#said('reasoning'));
    const before = fits ? [] : this.#withdraw();
    this.#answer = item.id;
    const reasoning = this.#tell('reasoning', item.reasoning.slice(this.#said('reasoning').length));
    const text = this.#tell('text', item.text.slice(this.#said('text').length));
    this.#answer = undefined;
    return [...before, ...reasoning, ...text, ...this.#end('reasoning'), ...this.#end('text')];
  }

  /** Returns the events for what was told of an answer that does not come. */
  withdrawn(): readonly ResponseEvent[] {
    return this.#withdraw();
  }

  #piece(id: string, part: 'text' | 'reasoning', text: string): readonly ResponseEvent[] {
    const before = this.#answer === id ? [] : this.#withdraw();
    this.#answer = id;
    return [...before, ...this.#tell(part, text)];
  }

  #said(part: 'text' | 'reasoning'): string {
    return this.#open.get(part)?.said ?? '';
  }

  #tell(part: 'text' | 'reasoning', delta: string): readonly ResponseEvent[] {
    if (delta === '') return [];
    const names = PARTS[part];
    const open = this.#open.get(part) ?? this.#begin(part);
    const place = { item_id: open.item.id, output_index: open.index, [names.index]: 0 };
    const isFirst = open.said === '';
    open.said += delta;
    const begin = [
      { type: 'response.output_item.added', output_index: open.index, item: { ...open.item, ...emptied(part) } },
      { type: `response.${names.part}.added`, ...place, part: partOf(part, '') },
    ];
    return [...(isFirst ? begin : []), { type: `response.${names.text}.delta`, ...place, delta, logprobs: [] }];
  }

  #begin(part: 'text' | 'reasoning'): Open {
    const answer = this.#answer ?? '';
    const attempt = this.#void.get(answer);
    // an item has its id for itself
    const id = attempt === undefined ? answer : `${answer}_${attempt}`;
    const item = part === 'text' ? messageItem({ id, text: '' }) : reasoningItem({ id, reasoning: '' });
    const open = { item, index: this.#next++, said: '' };
    this.#open.set(part, open);
    return open;
  }

  #end(part: 'text' | 'reasoning'): readonly ResponseEvent[] {
    const open = this.#open.get(part);
    if (!open) return [];
    this.#open.delete(part);
    const names = PARTS[part];
    const place = { item_id: open.item.id, output_index: open.index, [names.index]: 0 };
    const content = part === 'text' ? { content: [partOf(part, open.said)] } : { summary: [partOf(part, open.said)] };
    return [
      { type: `response.${names.text}.done`, ...place, text: open.said, logprobs: [] },
      { type: `response.${names.part}.done`, ...place, part: partOf(part, open.said) },
      { type: 'response.output_item.done', output_index: open.index, item: { ...open.item, ...content } },
    ];
  }

  #withdraw(): readonly ResponseEvent[] {
    const answer = this.#answer;
    if (answer !== undefined && this.#open.size > 0) this.#void.set(answer, (this.#void.get(answer) ?? 1) + 1);
    this.#answer = undefined;
    const events = [...this.#open].map(([part, { item, index }]) => {
      return {
        type: 'response.output_item.done',
        output_index: index,
        item: { ...item, ...emptied(part), status: 'incomplete' },
      };
    });
    this.#open.clear();
    return events;
  }

  #whole(item: OutputItem): readonly ResponseEvent[] {
    if (this.#told.has(item.id)) return [];
    this.#told.add(item.id);
    const output_index = this.#next++;
    const place = { item_id: item.id, output_index };
    const given = item['arguments'];
    const kind = item.type === 'function_call' ? 'function_call_arguments' : 'mcp_call_arguments';
    const hasArguments = item.type === 'function_call' || item.type === 'mcp_call';
    const progress = [
      { type: `response.${kind}.delta`, ...place, delta: given },
      { type: `response.${kind}.done`, ...place, name: item['name'], arguments: given },
    ];
    const started = hasArguments ? { ...item, arguments: '' } : item;
    return [
      { type: 'response.output_item.added', output_index, item: started },
      ...(hasArguments ? progress : []),
      { type: 'response.output_item.done', output_index, item },
    ];
  }
}

function partOf(part: 'text' | 'reasoning', text: string): object {
  return part === 'text' ? { type: 'output_text', text, annotations: [] } : { type: 'summary_text', text };
}

function emptied(part: 'text' | 'reasoning'): object {
  return part === 'text' ? { content: [], status: 'in_progress' } : { summary: [] };
}
