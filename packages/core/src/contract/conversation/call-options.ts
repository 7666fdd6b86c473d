import { invalidOption, wrongOption, wrongSignal } from '../settings-input/invalid-option.ts';
import { isObject } from '../../platform/json.ts';
import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import type { ApproveOptions, CallAnswer, RunOptions, SendOptions } from './conversation.ts';
import type { ForkInput } from './history.ts';
import type { ViewPage } from './model-view.ts';
import type { OutlineOptions } from './outline.ts';
import type { SubscribeOptions } from './subscriber.ts';

const SIGNAL = { signal: true } as const;
const SPAN = { from: true, to: true } as const;

const CALLS = {
  run: { maxIterations: true, signal: true, approves: true, answers: true } satisfies OptionNames<RunOptions>,
  sendMessage: { sender: true, id: true } satisfies OptionNames<SendOptions>,
  approve: { edits: true } satisfies OptionNames<ApproveOptions>,
  answerCall: { content: true, isError: true } satisfies OptionNames<CallAnswer>,
  askAgent: SIGNAL,
  subscribe: { from: true, signal: true } satisfies OptionNames<SubscribeOptions>,
  'settings.generateTitle': { maxLength: true, signal: true } as const,
  'history.fork': {
    id: true,
    from: true,
    title: true,
    tags: true,
    resetMetrics: true,
  } satisfies OptionNames<ForkInput>,
  'history.rerunActions': SIGNAL,
  'history.replay': SPAN,
  'history.commits': SPAN,
  'history.outline': { after: true, buckets: true, within: true } satisfies OptionNames<OutlineOptions>,
  'history.view': { from: true, limit: true } satisfies OptionNames<ViewPage>,
  'goal.pursue': { maxIterations: true, signal: true } as const,
  'goal.resume': SIGNAL,
};

/**
 * Checks the names in the options of a conversation's method; `more` holds the options that a runtime adds to the contract.
 * Throws `INVALID_INPUT` that names the method, the misspelt member and the nearest known name.
 */
export function checkCallOptions(
  method: keyof typeof CALLS,
  options: object | undefined,
  more: Readonly<Record<string, true>> = {},
): void {
  if (options === undefined) return;
  checkOptionNames(method, options, { ...CALLS[method], ...more }, invalidOption);
  const wrong = wrongSignal(`${method}: signal`, (options as { readonly signal?: unknown }).signal);
  if (wrong !== undefined) throw invalidOption(wrong);
}

/** Checks the arguments of `approve` and `reject`. Throws `INVALID_INPUT` for ids that are not a list, and for a reason that is not text. */
export function checkDecision(method: 'approve' | 'reject', actionIds: unknown, reason?: unknown): void {
  const example = method === 'approve' ? '[id]' : "[id], before the reason: reject([id], 'because …')";
  const isList = Array.isArray(actionIds) && actionIds.every((id) => typeof id === 'string');
  if (actionIds !== undefined && !isList)
    throw wrongOption(`${method}: actions`, `a list of their ids, such as ${example}`, actionIds);
  if (reason !== undefined && typeof reason !== 'string')
    throw wrongOption(`${method}: reason`, 'a text for the model', reason);
}

/** Checks the edits of `approve`. Throws `INVALID_INPUT` for anything but objects of arguments. */
export function checkEdits(edits: unknown): void {
  if (edits === undefined || (isObject(edits) && Object.values(edits).every(isObject))) return;
  throw wrongOption('approve: edits', 'an object of the arguments of each edited call, by the id of its action', edits);
}
