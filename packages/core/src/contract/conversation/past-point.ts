import { checkOptionNames } from '../settings-input/check-option-names.ts';
import { invalidOption } from '../settings-input/invalid-option.ts';
import { toCommitSeq } from '../state/log-position.ts';
import type { JournalEnd } from '../store/conversation-store.ts';
import type { PastPoint } from './conversation.ts';

/** Returns a point of the log that ends at `end`: a commit beyond it is the end. Throws `INVALID_INPUT`. */
export function pastPoint(point: PastPoint, { seq, event }: JournalEnd): PastPoint {
  if (typeof point !== 'object' || point === null) return toCommitSeq(Math.min(seq, whole(point, 'a commit')));
  checkOptionNames('point', point, { event: true }, invalidOption);
  const number = whole(point.event, 'an event');
  if (number < event) return { event: number };
  throw invalidOption(`history.at: expected an event that the log has, of ${event} events, found ${number}`);
}

function whole(value: number, thing: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw invalidOption(`point: expected the number of ${thing}, a whole number from 0, found ${String(value)}`);
}
