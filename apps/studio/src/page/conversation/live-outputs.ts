import type { Conversation } from '@conv/core';
import { eventGuards, type Event } from '@conv/core/events';

/** Characters that are kept of the output of a call: the end is what a person watches. */
const MOST = 4_000;

/** Calls of which output is kept, and calls whose end is remembered. */
const CALLS = 64;

/** Collects what the running tools of a conversation print until their results are in the log. */
export class LiveOutputs {
  readonly #listeners = new Set<() => void>();
  readonly #ended = new AbortController();
  readonly #soon: (tell: () => void) => void;
  #outputs: ReadonlyMap<string, string> = new Map();
  /** The calls whose results came last: pieces may come after the result. */
  readonly #over = new Set<string>();
  #told = false;

  /** `soon` runs a function a little later: pieces that come until then are told together. */
  constructor(conversation: Pick<Conversation, 'subscribe'>, soon: (tell: () => void) => void) {
    this.#soon = soon;
    conversation.subscribe(
      {
        onOutput: ({ toolCallId, text }) => this.#add(toolCallId, text),
        onEvent: (event) => this.#take(event),
        // the window tells the reason
        onError: () => this.#set(new Map()),
      },
      { signal: this.#ended.signal },
    );
  }

  /** Returns the end of what a call has printed; `''` for none. */
  of(toolCallId: string): string {
    return this.#outputs.get(toolCallId) ?? '';
  }

  /** Calls the listener after changes; returns the function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the subscription. Idempotent. */
  close(): void {
    this.#ended.abort();
    this.#listeners.clear();
  }

  #add(id: string, text: string): void {
    if (this.#over.has(id)) return;
    const others = [...this.#outputs].filter(([other]) => other !== id);
    const output = (this.of(id) + text).slice(-MOST).toWellFormed();
    this.#set(new Map([...others.slice(1 - CALLS), [id, output]]));
  }

  /** A result ends the output of its call. A call begins anew where a model uses an id again; its output may have come before it. */
  #take(event: Event): void {
    if (!eventGuards.isKnownEvent(event)) return;
    if (event.kind === 'ActionEvent') this.#over.delete(event.tool_call_id);
    if (!eventGuards.isObservationLike(event)) return;
    const { tool_call_id: id } = event;
    this.#over.add(id);
    for (const oldest of this.#over) if (this.#over.size > CALLS) this.#over.delete(oldest);
    if (this.#outputs.has(id)) this.#set(new Map([...this.#outputs].filter(([other]) => other !== id)));
  }

  #set(outputs: ReadonlyMap<string, string>): void {
    this.#outputs = outputs;
    if (this.#told) return;
    this.#told = true;
    this.#soon(() => {
      this.#told = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
