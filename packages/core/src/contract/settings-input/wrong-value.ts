import { describeValue } from './check-option-names.ts';

/** Says where a value is wrong, what was expected there and what was found; the value itself is not shown, because it may be a secret. */
export function wrongValue(place: string, expected: string, found: unknown): string {
  return `${place}: expected ${expected}, found ${describeValue(found)}`;
}

/** Returns the message for a value that is no AbortSignal; `undefined` for a signal and for nothing. */
export function wrongSignal(place: string, found: unknown): string | undefined {
  if (found === undefined || found instanceof AbortSignal) return undefined;
  // a signal of another realm
  if (typeof found === 'object' && found !== null && 'aborted' in found && 'addEventListener' in found)
    return undefined;
  const hint = found instanceof AbortController ? '; give its .signal' : '';
  return `${wrongValue(place, 'an AbortSignal, such as AbortSignal.timeout(60_000)', found)}${hint}`;
}

/** Returns the message for a list that is none; `undefined` for a list and for nothing. */
export function wrongList(place: string, example: string, found: unknown): string | undefined {
  return found === undefined || Array.isArray(found)
    ? undefined
    : wrongValue(place, `a list such as ${example}`, found);
}
