import type { AnswerDelta, ToolOutput } from '@conv/core';

/** Characters of a text under way that are kept; an answer that is longer is whole in the log when it is durable. */
const KEPT = 16_000;

/** Calls that have ended of which late output is known as late: more than can run at the same time. */
const ENDED = 200;

/** The texts that arrive before their events: what the model writes, and what running tools print. */
export class StreamedText {
  #answer = '';
  #reasoning = '';
  /** The output of running tools, by call; the call that printed last is the last. */
  readonly #outputs = new Map<string, string>();
  readonly #ended = new Set<string>();
  #attempt = 0;
  #eventId = '';
  #endedId = '';

  /** The answer so far. */
  get answer(): string {
    return this.#answer;
  }

  /** The reasoning so far, until the answer begins. */
  get reasoning(): string {
    return this.#answer === '' ? this.#reasoning : '';
  }

  /** The output of the running tool that printed last. */
  get output(): string {
    return [...this.#outputs.values()].at(-1) ?? '';
  }

  /** Takes a piece of an answer. Another answer, or another attempt, replaces the text. */
  add({ kind, text, attempt, eventId }: AnswerDelta): void {
    if (eventId === this.#endedId) return;
    if (attempt !== this.#attempt || eventId !== this.#eventId) this.#clear();
    this.#attempt = attempt;
    this.#eventId = eventId;
    if (kind === 'text') this.#answer = (this.#answer + text).slice(-KEPT);
    if (kind === 'reasoning') this.#reasoning = (this.#reasoning + text).slice(-KEPT);
  }

  /** Takes a piece of what a running tool prints. A server may tell of it after its result. */
  addOutput({ toolCallId, text }: ToolOutput): void {
    if (this.#ended.has(toolCallId)) return;
    const before = this.#outputs.get(toolCallId) ?? '';
    this.#outputs.delete(toolCallId);
    this.#outputs.set(toolCallId, (before + text).slice(-KEPT));
  }

  /** Forgets the answer with the event of this id, which is there or never going to be. Pieces that come late are left out. */
  endAnswer(eventId: string): void {
    this.#endedId = eventId;
    this.#clear();
  }

  /** Expects output of a call. Models use ids again. */
  beginOutput(toolCallId: string): void {
    this.#ended.delete(toolCallId);
  }

  /** Drops the output of a call, because its result exists. */
  endOutput(toolCallId: string): void {
    this.#outputs.delete(toolCallId);
    this.#ended.add(toolCallId);
    for (const id of this.#ended) if (this.#ended.size > ENDED) this.#ended.delete(id);
  }

  #clear(): void {
    this.#answer = '';
    this.#reasoning = '';
  }
}
