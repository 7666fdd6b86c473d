import { turnItems, type NumberedEvent } from '@conv/turns';

import { answerLines, linesOf } from './lines-of.ts';

/** A client of plain events: it shows each event that it gets, also a second time, and pieces until their event comes. */
export class EventDisplay {
  readonly events: NumberedEvent[];
  readonly #pieces = new Map<string, { reasoning: string; text: string }>();

  constructor(known: readonly NumberedEvent[] = []) {
    this.events = [...known];
  }

  /** The number of the last event; -1 before the first. */
  get cursor(): number {
    return this.events.at(-1)?.index ?? -1;
  }

  event(event: NumberedEvent): void {
    this.#pieces.delete(event.event.id);
    this.events.push(event);
  }

  begin(id: string): void {
    this.#pieces.set(id, { reasoning: '', text: '' });
  }

  piece(id: string, kind: 'text' | 'reasoning', text: string): void {
    const pieces = this.#pieces.get(id);
    if (pieces) pieces[kind] += text;
  }

  withdraw(id: string): void {
    this.#pieces.delete(id);
  }

  /** Drops the pieces of answers in progress, as a client does that lost its connection. */
  lost(): void {
    this.#pieces.clear();
  }

  lines(): readonly string[] {
    const seen = new Set<number>();
    const again = this.events.filter(({ index }) => seen.size === seen.add(index).size);
    const answers = [...this.#pieces.values()].flatMap(({ reasoning, text }) => answerLines(reasoning, text));
    return [...turnItems(this.events), ...turnItems(again)].flatMap(linesOf).concat(answers);
  }
}
