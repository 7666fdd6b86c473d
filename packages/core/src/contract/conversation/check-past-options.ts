import { checkOptionNames } from '../settings-input/check-option-names.ts';
import { invalidOption, wrongOption } from '../settings-input/invalid-option.ts';
import { toCommitSeq, type CommitSeq } from '../state/log-position.ts';
import type { JournalEnd } from '../store/conversation-store.ts';
import { checkCallOptions } from './call-options.ts';
import type { PastPoint } from './history.ts';
import type { ViewPage } from './model-view.ts';
import type { OutlineOptions } from './outline.ts';

/** Returns the options with their defaults. Throws `INVALID_INPUT`. */
export function checkOutlineOptions(options: OutlineOptions = {}): Required<OutlineOptions> {
  checkCallOptions('history.outline', options);
  const { after = 0, buckets = 256, within = Number.POSITIVE_INFINITY } = options;
  checkNumber('history.outline: after', after, 'an event');
  if (!Number.isInteger(buckets) || buckets < 16 || buckets > 1024)
    throw wrongOption('history.outline: buckets', 'a whole number from 16 to 1024', buckets);
  if (!(typeof within === 'number' && within >= 0))
    throw wrongOption('history.outline: within', 'milliseconds, a number from 0', within);
  return { after, buckets, within };
}

/** Returns a span of commits; without an end, up to the last one. Throws `INVALID_INPUT`. */
export function checkCommitSpan(
  method: 'history.commits' | 'history.replay',
  span: { readonly from?: CommitSeq; readonly to?: CommitSeq } = {},
): { readonly from: CommitSeq; readonly to?: CommitSeq } {
  checkCallOptions(method, span);
  const { from = toCommitSeq(0), to } = span;
  checkNumber(`${method}: from`, from, 'a commit');
  if (to !== undefined) checkNumber(`${method}: to`, to, 'a commit');
  return to === undefined ? { from } : { from, to };
}

/** Returns the page with its defaults. Throws `INVALID_INPUT`. */
export function checkViewPage(page: ViewPage = {}): { readonly from: number | undefined; readonly limit: number } {
  checkCallOptions('history.view', page);
  const { from, limit = 200 } = page;
  if (from !== undefined) checkNumber('history.view: from', from, 'a message of the view');
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw wrongOption('history.view: limit', 'a whole number from 1 to 1000', limit);
  return { from, limit };
}

/** Returns a point of the log that ends at `end`: a commit beyond it is the end. Throws `INVALID_INPUT`. */
export function pastPoint(point: PastPoint, { seq, event }: JournalEnd): PastPoint {
  if (typeof point !== 'object' || point === null)
    return toCommitSeq(Math.min(seq, checkNumber('point', point, 'a commit')));
  checkOptionNames('point', point, { event: true }, invalidOption);
  const number = checkNumber('point', point.event, 'an event');
  if (number < event) return { event: number };
  throw invalidOption(`history.at: expected an event that the log has, of ${event} events, found ${number}`);
}

/** Checks the number of a commit, an event or a message. Throws `INVALID_INPUT` for any other value. */
function checkNumber(place: string, value: number, thing: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidOption(`${place}: expected the number of ${thing}, a whole number from 0, found ${String(value)}`);
}
