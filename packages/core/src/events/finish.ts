import { type Action, isAction } from './action.ts';
import type { ActionEvent, Event, ObservationEvent } from './event.ts';
import { isEvent } from './guards.ts';
import { isObservation } from './observation.ts';

/** A call of the built-in finish tool. */
export interface FinishCall extends ActionEvent {
  readonly action: Extract<Action, { readonly kind: 'FinishAction' }>;
}

/**
 * True if the event is the agent's call of the built-in finish tool. Looks at the kind of the action, not at the name, which
 * another tool could have.
 */
export function isFinishCall(event: Event): event is FinishCall {
  return isEvent(event, 'ActionEvent') && event.source === 'agent' && isAction(event.action, 'FinishAction');
}

/** True if the event is the result of a call of the built-in finish tool that went through. */
export function isFinishResult(event: Event): event is ObservationEvent {
  if (!isEvent(event, 'ObservationEvent')) return false;
  const { observation } = event;
  return isObservation(observation, 'FinishObservation') && observation.is_error !== true;
}
