import { isEvent, type Event } from '../../events/index.ts';

/** The skills whose text the model asked for, with the one that this event brings; the same list when it brings no other. */
export function invokedAfter(invoked: readonly string[], event: Event): readonly string[] {
  if (!isEvent(event, 'ObservationEvent') || event.observation.kind !== 'InvokeSkillObservation') return invoked;
  const { skill_name: name, is_error: failed } = event.observation;
  return typeof name !== 'string' || failed === true || invoked.includes(name) ? invoked : [...invoked, name];
}
