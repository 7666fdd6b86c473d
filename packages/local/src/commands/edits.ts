import { abortable, checks, type AgentSession, ConversationError, type JsonObject } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';
import { isToolError } from '@conv/core/tool';

import type { EditedCall } from '../rules/edited-calls.ts';
import { noPendingAction } from '../rules/no-pending-action.ts';
import type { RiskAssessments, Verdicts } from '../safeguards/risk-assessments.ts';
import type { CommandDeps } from './command-deps.ts';

/** Makes the calls that a person edited, and has them rated. Nothing is stored. */
export class Edits {
  readonly #deps: Pick<CommandDeps, 'session' | 'lifetime' | 'state'>;

  constructor(deps: Pick<CommandDeps, 'session' | 'lifetime' | 'state'>) {
    this.#deps = deps;
  }

  /**
   * Resolves with the edited calls, checked by their tools. Rejects `UNKNOWN_ACTION`, `INVALID_INPUT` that names the wrong arguments, and
   * `UNSUPPORTED` for an agent that cannot edit calls.
   */
  async make(
    edits: Readonly<Record<string, JsonObject>>,
    approved: readonly string[] | undefined,
  ): Promise<readonly EditedCall[]> {
    const { state, session, lifetime } = this.#deps;
    const originals = Object.keys(edits).map((id) => {
      const original = state.pendingActions.find((action) => action.id === id && state.calls[id] !== 'started');
      if (original) return original;
      throw noPendingAction(id);
    });
    const apart = Object.keys(edits).find((id) => approved?.includes(id) === false);
    if (apart !== undefined)
      throw checks.invalid(`approve: edits: expected actions that are approved, found ${JSON.stringify(apart)}`);
    if (originals.length === 0) return [];
    const started = await abortable(session.get(), lifetime.ended);
    return originals.map((original) => ({ original, draft: editedBy(started, original, edits[original.id] ?? {}) }));
  }

  /** Resolves with the ratings of edited calls, `undefined` where no rating matters. */
  async rate(edited: readonly EditedCall[], risks: RiskAssessments): Promise<Verdicts | undefined> {
    const { state, lifetime } = this.#deps;
    if (edited.length === 0) return undefined;
    return risks.ask(
      state,
      edited.map(({ draft }) => draft),
      lifetime.ended,
    );
  }
}

function editedBy(session: AgentSession, original: ActionEvent, args: JsonObject): EditedCall['draft'] {
  if (!session.edit)
    throw new ConversationError('UNSUPPORTED', 'approve: edits: this agent cannot edit calls; approve without edits');
  try {
    return session.edit(original, args);
  } catch (error) {
    if (!isToolError(error, 'INVALID_INPUT')) throw error;
    const text = `approve: edits[${JSON.stringify(original.id)}]: ${error.message}; nothing was approved`;
    throw new ConversationError('INVALID_INPUT', text, { cause: error, eventId: original.id });
  }
}
