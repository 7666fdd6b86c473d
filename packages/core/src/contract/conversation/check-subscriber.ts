import { closestName } from '../settings-input/closest-name.ts';
import type { OptionNames } from '../settings-input/check-option-names.ts';
import { invalidOption, wrongOption } from '../settings-input/invalid-option.ts';
import type { Visualizer } from './subscriber.ts';

const METHODS: OptionNames<Visualizer> = {
  onEvent: true,
  onStateChange: true,
  onToken: true,
  onAnswerAborted: true,
  onOutput: true,
  onError: true,
  initialize: true,
  forChild: true,
  close: true,
};

const HEARING = ['onEvent', 'onStateChange', 'onToken', 'onAnswerAborted', 'onOutput'] as const;

/**
 * Checks that a value is a subscriber: a function, or an object with at least one of a subscriber's methods. Throws
 * `INVALID_INPUT`, because a misspelt method would never be called.
 */
export function checkSubscriber(place: string, subscriber: unknown): void {
  if (typeof subscriber === 'function') return;
  const expected = 'a function of an event, or an object with methods such as onEvent(event)';
  if (typeof subscriber !== 'object' || subscriber === null) throw wrongOption(place, expected, subscriber);
  const methods = subscriber as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(METHODS))
    if (methods[name] !== undefined && typeof methods[name] !== 'function')
      throw wrongOption(`${place}: ${name}`, 'a function', methods[name]);
  if (Object.keys(METHODS).some((name) => name in methods)) return;
  const misspelt = namesOf(subscriber).find((name) => closestName(name, Object.keys(METHODS)) !== undefined);
  const near = misspelt === undefined ? undefined : closestName(misspelt, Object.keys(METHODS));
  if (near === undefined || misspelt === undefined)
    throw invalidOption(`${place}: a subscriber needs one of the methods ${HEARING.join(', ')}; none is there`);
  throw invalidOption(`${place}: a subscriber has no method ${JSON.stringify(misspelt)}; did you mean ${near}?`);
}

/** Returns the names of an object's members, members of its class included. */
function namesOf(value: object): readonly string[] {
  const parent = Object.getPrototypeOf(value) as object | null;
  const inherited = parent === null || parent === Object.prototype ? [] : namesOf(parent);
  return [...Object.getOwnPropertyNames(value), ...inherited].filter((name) => name !== 'constructor');
}
