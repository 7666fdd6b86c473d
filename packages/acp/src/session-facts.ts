import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import type { ConversationView, Task } from '@conv/core';

import { modeState, type EditorMode } from './modes.ts';

const STATUS: Readonly<Record<Task['status'], PlanEntry['status']>> = {
  todo: 'pending',
  in_progress: 'in_progress',
  done: 'completed',
};

/** The facts of a whole session that an editor was told: the plan, the mode and the title. */
export class SessionFacts {
  readonly #modes: readonly EditorMode[];
  /** The facts that were told last, by kind. */
  readonly #told = new Map<string, string>([['plan', '{"sessionUpdate":"plan","entries":[]}']]);

  /** The mode is known from the answer that began the session. */
  constructor(state: ConversationView, modes: readonly EditorMode[]) {
    this.#modes = modes;
    this.#isNew(modeFact(state, modes));
  }

  /** Returns the facts that are new since the last call. */
  changed(state: ConversationView): readonly SessionUpdate[] {
    return factsOf(state, this.#modes).filter((fact) => this.#isNew(fact));
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
  return [{ sessionUpdate: 'plan', entries }, modeFact(state, modes), { sessionUpdate: 'session_info_update', title }];
}

function modeFact(state: ConversationView, modes: readonly EditorMode[]): SessionUpdate {
  return { sessionUpdate: 'current_mode_update', currentModeId: modeState(state, modes).currentModeId };
}
