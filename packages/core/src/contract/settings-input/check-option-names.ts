import { closestName } from './closest-name.ts';

/** Every name of an option object, so that the compiler refuses a list that lacks one. */
export type OptionNames<Options> = Readonly<
  Record<Options extends unknown ? Extract<keyof Options, string> : never, true>
>;

/**
 * Checks that `given` is an object whose members all have known names. A mistyped name would otherwise switch off silently what
 * it was meant to set. Throws `TypeError`, or the error of `toError`, that names the place, the member and the nearest known name.
 *
 * @example
 * ```ts
 * import { checkOptionNames, type OptionNames } from '@conv/core';
 *
 * interface CounterOptions {
 *   readonly from?: number;
 * }
 * const NAMES: OptionNames<CounterOptions> = { from: true };
 *
 * export function createCounter(options: CounterOptions = {}): () => number {
 *   checkOptionNames('createCounter', options, NAMES);
 *   let next = options.from ?? 0;
 *   return () => next++;
 * }
 * ```
 */
export function checkOptionNames(
  place: string,
  given: unknown,
  names: Readonly<Record<string, true>>,
  toError: (message: string) => Error = (message) => new TypeError(message),
): void {
  const known = Object.keys(names);
  const listed = known.join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw toError(`${place}: expected an object with the options ${listed}, found ${describeValue(given)}`);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(names, name)) continue;
    const near = closestName(name, known);
    const help = near === undefined ? `; the options are ${listed}` : `; did you mean ${near}?`;
    throw toError(`${place}: there is no option ${JSON.stringify(name)}${help}`);
  }
}

/** Names a value for an error without showing it, because it may be a secret. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name;
  return name === undefined || name === 'Object' ? 'an object' : `an object of ${name}`;
}
