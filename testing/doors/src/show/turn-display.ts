import type { TurnChange, TurnItem } from '@conv/turns';

import { answerLines, linesOf } from './lines-of.ts';

interface Row {
  readonly id: string;
  item?: TurnItem;
  reasoning: string;
  text: string;
}

/** A client of changes that trusts them: it writes on what was told of an answer, and shows an item that it has as told again. */
export class TurnDisplay {
  readonly #rows: Row[];

  constructor(known: readonly TurnItem[]) {
    this.#rows = known.map((item) => (item.kind === 'answer' ? rowOf(item, item.reasoning, item.text) : rowOf(item)));
  }

  take(change: TurnChange): void {
    if (change.type === 'piece') this.#inProgress(change.id)[change.part] += change.text;
    if (change.type === 'withdrawn') this.#drop(change.id);
    if (change.type === 'item') this.#item(change.item, change.streamed);
  }

  lines(): readonly string[] {
    return this.#rows.flatMap(({ item, reasoning, text }) =>
      item && item.kind !== 'answer'
        ? linesOf(item)
        : [...answerLines(reasoning, text), ...(item ? linesOf({ ...item, reasoning: '', text: '' }) : [])],
    );
  }

  #item(item: TurnItem, streamed: { readonly text: number; readonly reasoning: number }): void {
    if (item.kind !== 'answer') {
      const known = this.#rows.find(({ id }) => id === item.id);
      if (known && item.kind === 'call') known.item = item;
      else this.#rows.push(rowOf(item));
      return;
    }
    const told = this.#rows.find((row) => row.id === item.id && !row.item);
    if (!told)
      return void this.#rows.push(
        rowOf(item, item.reasoning.slice(streamed.reasoning), item.text.slice(streamed.text)),
      );
    told.item = item;
    told.reasoning += item.reasoning.slice(streamed.reasoning);
    told.text += item.text.slice(streamed.text);
  }

  #inProgress(id: string): Row {
    const row = this.#rows.find((each) => each.id === id && !each.item);
    if (row) return row;
    const next: Row = { id, reasoning: '', text: '' };
    this.#rows.push(next);
    return next;
  }

  #drop(id: string): void {
    const at = this.#rows.findIndex((row) => row.id === id && !row.item);
    if (at >= 0) this.#rows.splice(at, 1);
  }
}

function rowOf(item: TurnItem, reasoning = '', text = ''): Row {
  return { id: item.id, item, reasoning, text };
}
