/**
 * Counts ids per prefix: `call_1`, `call_2`, `chatcmpl-1`. Ids that a history already holds are passed over, so a
 * conversation that goes on with another server instance never sees one of its ids again.
 */
export class Identifiers {
  readonly #infix: string;
  readonly #last = new Map<string, number>();

  constructor(infix = '') {
    this.#infix = infix;
  }

  next(prefix: string, isTaken: (id: string) => boolean = () => false): string {
    let number = this.#last.get(prefix) ?? 0;
    let id: string;
    do {
      number += 1;
      id = `${prefix}${this.#infix}${number}`;
    } while (isTaken(id));
    this.#last.set(prefix, number);
    return id;
  }
}
