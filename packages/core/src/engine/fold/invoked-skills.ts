import { isEvent, type Event } from '../../events/index.ts';

/** Returns the skills whose text the model asked for, and the skill of this event; the same list when the event adds none. */
export function invokedAfter(invoked: readonly string[], event: Event): readonly string[] {
  if (!isEvent(event, 'ObservationEvent') || event.observation.kind !== 'InvokeSkillObservation') return invoked;
  const { skill_name: name, is_error: failed } = event.observation;
  return typeof name !== 'string' || failed === true || invoked.includes(name) ? invoked : [...invoked, name];
}
