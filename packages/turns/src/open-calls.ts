import type { Conversation, ExecutionStatus, PendingAction, StateFields } from '@conv/core';
import { isEvent, type ObservationLikeEvent } from '@conv/core/events';

import { withDecision } from './call-decision.ts';
import { answers, callOf } from './items-of.ts';
import type { CallItem, CallPhase } from './turn-item.ts';

/** The calls without a result, as they were told last. */
export class OpenCalls {
  readonly #calls = new Map<string, CallItem>();

  add(call: CallItem): void {
    this.#calls.set(call.actionId, call);
  }

  /** Removes and returns the call of a result; `undefined` if it opened before the cursor of the reader, or has a result. */
  take(result: ObservationLikeEvent): CallItem | undefined {
    // models reuse ids: the newest call is meant
    const call = [...this.#calls.values()].findLast((each) => answers(each, result));
    if (call) this.#calls.delete(call.actionId);
    return call;
  }

  /**
   * Resolves with the calls whose phase changed, with the new phase. Adds the calls that opened before the cursor of the reader, which the
   * events after it do not tell.
   */
  async update(
    { state, events }: Pick<Conversation, 'state' | 'events'>,
    fields: Pick<StateFields, 'id' | 'executionStatus' | 'calls' | 'extra'>,
    through: number,
  ): Promise<readonly CallItem[]> {
    const pending = new Map(state.pendingActions.map((action) => [action.id, action]));
    const changed: CallItem[] = [];
    for (const action of pending.values()) {
      if (this.#calls.has(action.id)) continue;
      const index = await events.indexOf(action.id);
      // an action behind the events that were told comes with its own event
      const event = index === undefined || index > through ? undefined : await events.at(index);
      if (index === undefined || !event || !isEvent(event, 'ActionEvent')) continue;
      this.add(callOf(event, index));
      changed.push(this.#phased(action.id, fields, action));
    }
    for (const { actionId, phase } of this.#calls.values()) {
      const call = this.#phased(actionId, fields, pending.get(actionId));
      if (call.phase !== phase) changed.push(call);
    }
    return [...new Map(changed.map((call) => [call.actionId, call])).values()].toSorted(
      (one, other) => one.index - other.index,
    );
  }

  /** Stores and returns a call with its phase. */
  #phased(
    actionId: string,
    fields: Pick<StateFields, 'id' | 'executionStatus' | 'calls' | 'extra'>,
    pending: PendingAction | undefined,
  ): CallItem {
    const { executionStatus, calls } = fields;
    const call = withDecision(this.#calls.get(actionId) as CallItem, fields);
    const phase = phaseOf(calls[actionId], executionStatus, pending !== undefined);
    const asked = phase === 'waiting' && pending ? pending : undefined;
    const risk = asked?.security_risk ?? call.event.security_risk ?? 'UNKNOWN';
    const next: CallItem = { ...call, phase, risk, reasons: asked?.reasons ?? [] };
    this.#calls.set(actionId, next);
    return next;
  }
}

function phaseOf(
  recorded: 'allowed' | 'approved' | 'started' | undefined,
  status: ExecutionStatus,
  isPending: boolean,
): CallPhase {
  if (recorded === 'approved' || recorded === 'started') return recorded;
  return recorded === undefined && isPending && status === 'waiting_for_confirmation' ? 'waiting' : 'open';
}
