import { wrongOption } from '../settings-input/invalid-option.ts';
import { checkCallOptions } from './call-options.ts';
import type { ViewPage } from './model-view.ts';
import type { OutlineOptions } from './outline.ts';

/** Returns the options with their defaults. Throws `INVALID_INPUT`. */
export function checkOutlineOptions(options: OutlineOptions = {}): Required<OutlineOptions> {
  checkCallOptions('history.outline', options);
  const { after = 0, buckets = 256 } = options;
  if (!Number.isSafeInteger(after) || after < 0)
    throw wrongOption('history.outline: after', 'the number of an event, from 0', after);
  if (!Number.isInteger(buckets) || buckets < 16 || buckets > 1024)
    throw wrongOption('history.outline: buckets', 'a whole number from 16 to 1024', buckets);
  return { after, buckets };
}

/** Returns the page with its defaults. Throws `INVALID_INPUT`. */
export function checkViewPage(page: ViewPage = {}): { readonly from: number | undefined; readonly limit: number } {
  checkCallOptions('history.view', page);
  const { from, limit = 200 } = page;
  if (from !== undefined && (!Number.isSafeInteger(from) || from < 0))
    throw wrongOption('history.view: from', 'the position of a message, from 0', from);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw wrongOption('history.view: limit', 'a whole number from 1 to 1000', limit);
  return { from, limit };
}
