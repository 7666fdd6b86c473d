import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import { wrongSignal, wrongValue } from '../settings-input/invalid-option.ts';
import type { ListQuery, OpenOptions } from './conversation-store.ts';

const OPEN: OptionNames<OpenOptions> = { create: true, owner: true, signal: true };

/** Checks the options of a store's `open`. Throws `TypeError` that names the option and what is expected. */
export function checkOpenOptions(options: OpenOptions): void {
  checkOptionNames('open', options, OPEN);
  const { create = 'ifMissing', owner, signal } = options;
  if (typeof owner !== 'string')
    throw new TypeError(wrongValue('open: owner', 'a name for people, such as "worker 1"', owner));
  if (!['never', 'ifMissing', 'must'].includes(create))
    throw new TypeError(wrongValue('open: create', "'never', 'ifMissing' or 'must'", create));
  const wrong = wrongSignal('open: signal', signal);
  if (wrong !== undefined) throw new TypeError(wrong);
}

const LIST: OptionNames<ListQuery> = {
  limit: true,
  page: true,
  sortBy: true,
  order: true,
  status: true,
  parentIds: true,
  total: true,
};

/** Checks the query of a store's list. Throws `TypeError` that names the member and what is expected. */
export function checkListQuery(query: ListQuery): void {
  checkOptionNames('list', query, LIST);
  const { limit, sortBy, order, parentIds, total } = query;
  const wrong = (name: string, expected: string, found: unknown): TypeError =>
    new TypeError(`list: ${name}: expected ${expected}, found ${JSON.stringify(found)}`);
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1 || limit > 100))
    throw new TypeError(`list: limit: expected 1 to 100, found ${String(limit)}`);
  if (![undefined, 'createdAt', 'updatedAt'].includes(sortBy)) throw wrong('sortBy', 'createdAt or updatedAt', sortBy);
  if (![undefined, 'ascending', 'descending'].includes(order)) throw wrong('order', 'ascending or descending', order);
  if (parentIds !== undefined && !(Array.isArray(parentIds) && parentIds.every((id) => typeof id === 'string')))
    throw wrong('parentIds', 'an array of ids', parentIds);
  if (total !== undefined && typeof total !== 'boolean') throw wrong('total', 'true or false', total);
}
