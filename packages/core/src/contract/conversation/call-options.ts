import { invalidOption } from '../settings-input/invalid-option.ts';
import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import { wrongSignal, wrongValue } from '../settings-input/wrong-value.ts';
import type { CallAnswer, ForkInput, RunOptions, SendOptions, TitleOptions } from './conversation.ts';
import type { GoalOptions } from './goal.ts';
import type { SubscribeOptions } from './subscriber.ts';

const RUN: OptionNames<RunOptions> = { maxIterations: true, signal: true };
const SEND: OptionNames<SendOptions> = { sender: true, id: true };
const FORK: OptionNames<ForkInput> = { id: true, from: true, title: true, tags: true, resetMetrics: true };
const TITLE: OptionNames<TitleOptions> = { maxLength: true, signal: true };
const GOAL: OptionNames<GoalOptions> = { maxIterations: true, signal: true };
const SUBSCRIBE: OptionNames<SubscribeOptions> = { from: true, signal: true };
const ANSWER: OptionNames<CallAnswer> = { content: true, isError: true };

/** A method of a conversation that takes options. */
export type CallWithOptions =
  | 'run'
  | 'sendMessage'
  | 'answerCall'
  | 'askAgent'
  | 'subscribe'
  | 'settings.generateTitle'
  | 'history.fork'
  | 'history.rerunActions'
  | 'history.replay'
  | 'history.commits'
  | 'goal.pursue'
  | 'goal.resume';

const CALLS: Readonly<Record<CallWithOptions, Readonly<Record<string, true>>>> = {
  run: RUN,
  sendMessage: SEND,
  answerCall: ANSWER,
  askAgent: { signal: true },
  subscribe: SUBSCRIBE,
  'settings.generateTitle': TITLE,
  'history.fork': FORK,
  'history.rerunActions': { signal: true },
  'history.replay': { from: true, to: true },
  'history.commits': { from: true, to: true },
  'goal.pursue': GOAL,
  'goal.resume': { signal: true },
};

/**
 * Checks the names in the options of a conversation's method; `more` holds the options that a runtime adds to the contract.
 * Throws `INVALID_INPUT` that names the method, the misspelt member and the nearest known name.
 */
export function checkCallOptions(
  method: CallWithOptions,
  options: object | undefined,
  more: Readonly<Record<string, true>> = {},
): void {
  if (options === undefined) return;
  checkOptionNames(method, options, { ...CALLS[method], ...more }, invalidOption);
  const wrong = wrongSignal(`${method}: signal`, (options as { readonly signal?: unknown }).signal);
  if (wrong !== undefined) throw invalidOption(wrong);
}

/** Checks what a decision on actions names. Throws `INVALID_INPUT` for ids that are no list, and for a reason that is no text. */
export function checkDecision(method: 'approve' | 'reject', actionIds: unknown, reason?: unknown): void {
  const example = method === 'approve' ? '[id]' : "[id], before the reason: reject([id], 'because …')";
  const isList = Array.isArray(actionIds) && actionIds.every((id) => typeof id === 'string');
  if (actionIds !== undefined && !isList)
    throw invalidOption(wrongValue(`${method}: actions`, `a list of their ids, such as ${example}`, actionIds));
  if (reason !== undefined && typeof reason !== 'string')
    throw invalidOption(wrongValue(`${method}: reason`, 'a text for the model', reason));
}
