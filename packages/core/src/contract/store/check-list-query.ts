import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import type { ListQuery } from './conversation-store.ts';

const NAMES: OptionNames<ListQuery> = {
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
  checkOptionNames('list', query, NAMES);
  const { limit, sortBy, order, parentIds, total } = query;
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1 || limit > 100))
    throw new TypeError(`list: limit must be 1 to 100, not ${String(limit)}`);
  if (sortBy !== undefined && sortBy !== 'createdAt' && sortBy !== 'updatedAt')
    throw new TypeError(`list: sortBy must be createdAt or updatedAt, not ${JSON.stringify(sortBy)}`);
  if (order !== undefined && order !== 'ascending' && order !== 'descending')
    throw new TypeError(`list: order must be ascending or descending, not ${JSON.stringify(order)}`);
  if (parentIds !== undefined && !(Array.isArray(parentIds) && parentIds.every((id) => typeof id === 'string')))
    throw new TypeError(`list: parentIds must be an array of ids, not ${JSON.stringify(parentIds)}`);
  if (total !== undefined && typeof total !== 'boolean')
    throw new TypeError(`list: total must be true or false, not ${JSON.stringify(total)}`);
}
