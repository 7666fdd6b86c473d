import type { JsonPatchOperation } from '@ag-ui/core';
import type { ConversationView } from '@conv/core';
import { isObject } from '@conv/core/platform';

import type { AgUiEvent } from './wire.ts';

/** Tells what holds for a whole conversation: its status, title, cost and tasks, below `/conversation` in the state of the client. */
export class RunState {
  readonly #state: () => ConversationView;
  /** The members as the client has them, as JSON. */
  readonly #told = new Map<string, string>();

  constructor(state: () => ConversationView) {
    this.#state = state;
  }

  /** Returns everything. Members that the application of the client put into its state stay. */
  snapshot(given: unknown): AgUiEvent {
    const facts = factsOf(this.#state());
    for (const [name, value] of Object.entries(facts)) this.#told.set(name, JSON.stringify(value));
    return { type: 'STATE_SNAPSHOT', snapshot: { ...(isObject(given) ? given : {}), conversation: facts } };
  }

  /** Returns what changed since it was told. */
  delta(): readonly AgUiEvent[] {
    const delta: JsonPatchOperation[] = [];
    for (const [name, value] of Object.entries(factsOf(this.#state()))) {
      const text = JSON.stringify(value);
      if (this.#told.get(name) === text) continue;
      this.#told.set(name, text);
      delta.push({ op: 'replace', path: `/conversation/${name}`, value });
    }
    return delta.length > 0 ? [{ type: 'STATE_DELTA', delta }] : [];
  }
}

function factsOf({ executionStatus: status, title, metrics, taskList: tasks }: ConversationView) {
  return { status, title, metrics, tasks };
}
