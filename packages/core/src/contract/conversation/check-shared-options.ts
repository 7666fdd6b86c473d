import { invalidOption, wrongList, wrongOption, wrongSignal } from '../settings-input/invalid-option.ts';
import { checkSubscriber } from './check-subscriber.ts';
import type { SharedOptions } from './shared-options.ts';

const INTENTS: readonly unknown[] = [undefined, 'never', 'ifMissing', 'must'];

/**
 * Checks the values of the options that mean the same to every runtime. Throws `INVALID_INPUT` that names the option, what was
 * expected and what was found.
 */
export function checkSharedOptions(
  options: Partial<Record<keyof SharedOptions | 'onChildConfirmation', unknown>>,
): void {
  const { create, subscribers, visualizer, subscriberGrace, stuckDetection, onChildConfirmation, signal } = options;
  if (!INTENTS.includes(create)) throw wrong('create', "'never', 'ifMissing' or 'must'", create);
  const refused =
    wrongSignal('Conversation: signal', signal) ?? wrongList('Conversation: subscribers', '[subscriber]', subscribers);
  if (refused !== undefined) throw invalidOption(refused);
  for (const [index, subscriber] of ((subscribers ?? []) as readonly unknown[]).entries())
    checkSubscriber(`Conversation: subscribers[${index}]`, subscriber);
  if (visualizer !== undefined && visualizer !== null) checkSubscriber('Conversation: visualizer', visualizer);
  if (subscriberGrace !== undefined && !(typeof subscriberGrace === 'number' && subscriberGrace >= 0))
    throw wrong('subscriberGrace', 'milliseconds from 0', subscriberGrace);
  if (stuckDetection !== undefined && typeof stuckDetection !== 'boolean')
    throw wrong('stuckDetection', 'true or false', stuckDetection);
  if (onChildConfirmation !== undefined && typeof onChildConfirmation !== 'function')
    throw wrong('onChildConfirmation', 'a function of the child conversation', onChildConfirmation);
}

function wrong(name: string, expected: string, found: unknown): Error {
  return wrongOption(`Conversation: ${name}`, expected, found);
}
