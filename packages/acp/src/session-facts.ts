import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import type { ConversationView, Task } from '@conv/core';

import { modeState, type EditorMode } from './modes.ts';

const STATUS: Readonly<Record<Task['status'], PlanEntry['status']>> = {
  todo: 'pending',
  in_progress: 'in_progress',
  done: 'completed',
};

/** Tells an editor what holds for a whole session when it changes: the plan, the mode and the title. */
export class SessionFacts {
  readonly #facts: () => readonly SessionUpdate[];
  readonly #tell: (update: SessionUpdate) => Promise<void>;
  /** The facts that were told last, by kind. The mode is known from the answer that began the session. */
  readonly #told = new Map<string, string>([['plan', '{"sessionUpdate":"plan","entries":[]}']]);

  constructor(
    state: () => ConversationView,
    modes: readonly EditorMode[],
    tell: (update: SessionUpdate) => Promise<void>,
  ) {
    this.#facts = () => factsOf(state(), modes);
    this.#tell = tell;
    const [, mode] = this.#facts();
    this.#isNew(mode as SessionUpdate);
  }

  /** Tells what changed since the last call. */
  async tell(): Promise<void> {
    for (const fact of this.#facts().filter((each) => this.#isNew(each))) await this.#tell(fact);
  }

  #isNew(fact: SessionUpdate): boolean {
    const text = JSON.stringify(fact);
    if (this.#told.get(fact.sessionUpdate) === text) return false;
    this.#told.set(fact.sessionUpdate, text);
    return true;
  }
}

function factsOf(state: ConversationView, modes: readonly EditorMode[]): readonly SessionUpdate[] {
  const { taskList, title } = state;
  const entries = taskList.map(({ title: content, status }): PlanEntry => ({
    content,
    priority: 'medium',
    status: STATUS[status],
  }));
  const { currentModeId } = modeState(state, modes);
  return [
    { sessionUpdate: 'plan', entries },
    { sessionUpdate: 'current_mode_update', currentModeId },
    { sessionUpdate: 'session_info_update', title },
  ];
}
