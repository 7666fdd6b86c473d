import type { Conversation } from '@conv/core';
import { eventGuards, type Event } from '@conv/core/events';
import { LiveValue } from './live-value.ts';

/** Characters that are kept of the output of a call: the end is what a person watches. */
const MOST = 4_000;

/** Calls of which output is kept, and calls whose end is remembered. */
const CALLS = 64;

/** The output of the running tools of a conversation until their results are in the log, by the ids of their calls. */
export class LiveOutputs extends LiveValue<ReadonlyMap<string, string>> {
  /** The calls whose results came last: pieces may come after the result. */
  readonly #over = new Set<string>();

  constructor(conversation: Pick<Conversation, 'subscribe'>, soon: (tell: () => void) => void) {
    super(new Map(), soon);
    conversation.subscribe(
      {
        onOutput: ({ toolCallId, text }) => this.#add(toolCallId, text),
        onEvent: (event) => this.#take(event),
        // the window tells the reason
        onError: () => this.set(new Map()),
      },
      { signal: this.ended },
    );
  }

  /** Returns the end of what a call has printed; `''` for none. */
  of(toolCallId: string): string {
    return this.snapshot.get(toolCallId) ?? '';
  }

  #add(id: string, text: string): void {
    if (this.#over.has(id)) return;
    const others = [...this.snapshot].filter(([other]) => other !== id);
    const output = (this.of(id) + text).slice(-MOST).toWellFormed();
    this.set(new Map([...others.slice(1 - CALLS), [id, output]]));
  }

  /** A result ends the output of its call. A call begins anew where a model uses an id again; its output may have come before it. */
  #take(event: Event): void {
    if (!eventGuards.isKnownEvent(event)) return;
    if (event.kind === 'ActionEvent') this.#over.delete(event.tool_call_id);
    if (!eventGuards.isObservationLike(event)) return;
    const { tool_call_id: id } = event;
    this.#over.add(id);
    for (const oldest of this.#over) if (this.#over.size > CALLS) this.#over.delete(oldest);
    if (this.snapshot.has(id)) this.set(new Map([...this.snapshot].filter(([other]) => other !== id)));
  }
}
