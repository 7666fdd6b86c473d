import type { JsonObject } from './json.ts';

/** Output items and responses the server keeps for clients that send `store: true` or leave it out. */
export class ResponsesStore {
  readonly #items = new Map<string, JsonObject>();
  readonly #reasoningOf = new Map<string, string>();
  readonly #chains = new Map<string, readonly JsonObject[]>();

  /** Keeps a response: its whole input, resolved, and its output. */
  add(responseId: string, input: readonly JsonObject[], output: readonly JsonObject[]): void {
    this.#chains.set(responseId, [...input, ...output]);
    const reasoningId = output.find((item) => item['type'] === 'reasoning')?.['id'];
    for (const item of output) {
      const { id, type } = item;
      if (typeof id !== 'string') continue;
      this.#items.set(id, item);
      if (typeof reasoningId === 'string' && type !== 'reasoning') this.#reasoningOf.set(id, reasoningId);
    }
  }

  item(id: string): JsonObject | undefined {
    return this.#items.get(id);
  }

  /** The id of the reasoning item that a stored item may not be sent without. */
  reasoningOf(id: string): string | undefined {
    return this.#reasoningOf.get(id);
  }

  /** Input and output of a stored response: what `previous_response_id` stands for. */
  chain(responseId: string): readonly JsonObject[] | undefined {
    return this.#chains.get(responseId);
  }
}
