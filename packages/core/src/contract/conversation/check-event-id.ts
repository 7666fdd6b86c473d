import { invalidOption } from '../settings-input/invalid-option.ts';
import { wrongValue } from '../settings-input/wrong-value.ts';

/**
 * Checks the id of an event before a store or a server is asked for it: each of them would refuse a value of another type in words
 * of its own, or find nothing. Throws `INVALID_INPUT` that names the place. Text that no event has is the caller's to answer.
 */
export function checkEventId(place: string, id: unknown): void {
  if (typeof id === 'string') return;
  const hint = typeof id === 'number' ? '; events.idAt gives it for a number' : '';
  throw invalidOption(wrongValue(place, `the id of an event${hint}`, id));
}
