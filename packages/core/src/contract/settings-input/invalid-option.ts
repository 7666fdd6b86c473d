import { ConversationError } from '../errors/conversation-error.ts';
import { describeValue } from './check-option-names.ts';

/** Returns the error of a conversation for options that it cannot take. */
export function invalidOption(message: string, cause?: unknown): ConversationError {
  return new ConversationError('INVALID_INPUT', message, cause === undefined ? undefined : { cause });
}

/** Returns the same error for one value, with the message of {@link wrongValue}. */
export function wrongOption(place: string, expected: string, found: unknown): ConversationError {
  return invalidOption(wrongValue(place, expected, found));
}

/** Says where a value is wrong, what was expected there and what was found; the value itself is not shown, because it may be a secret. */
export function wrongValue(place: string, expected: string, found: unknown): string {
  return `${place}: expected ${expected}, found ${describeValue(found)}`;
}

/** Returns the message for a value that is not an AbortSignal; `undefined` for a signal and for `undefined`. */
export function wrongSignal(place: string, found: unknown): string | undefined {
  if (found === undefined || found instanceof AbortSignal) return undefined;
  // a signal of another realm
  if (typeof found === 'object' && found !== null && 'aborted' in found && 'addEventListener' in found)
    return undefined;
  const hint = found instanceof AbortController ? '; give its .signal' : '';
  return `${wrongValue(place, 'an AbortSignal, such as AbortSignal.timeout(60_000)', found)}${hint}`;
}

/** Returns the message for a value that is not a list; `undefined` for a list and for `undefined`. */
export function wrongList(place: string, example: string, found: unknown): string | undefined {
  return found === undefined || Array.isArray(found)
    ? undefined
    : wrongValue(place, `a list such as ${example}`, found);
}

/**
 * Checks that the id of an event is text, so that every runtime refuses other values with the same message. Throws
 * `INVALID_INPUT` that names the place. Does not check that an event has this id.
 */
export function checkEventId(place: string, id: unknown): void {
  if (typeof id === 'string') return;
  const hint = typeof id === 'number' ? '; events.idAt gives it for a number' : '';
  throw wrongOption(place, `the id of an event${hint}`, id);
}
