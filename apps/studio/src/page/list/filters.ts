import { nameOf, type Row, shownTags, waitsForPerson } from '../data/row.ts';

/** Orders of the list. */
export const SORTS: readonly (readonly [sort: Sort, words: string])[] = [
  ['updated', 'Last change'],
  ['created', 'Newest'],
  ['cost', 'Highest cost'],
  ['title', 'Title'],
];

/** Order of the list. */
export type Sort = 'updated' | 'created' | 'cost' | 'title';

/** The part of the list that is shown. The address holds it: an empty text is no filter. */
export interface Filters {
  readonly q: string;
  readonly status: string;
  /** `name` or `name:value`. */
  readonly tag: string;
  readonly model: string;
  readonly sort: Sort;
}

const NAMES = ['q', 'status', 'tag', 'model'] as const;

/** Reads the filters of an address; a sort that does not exist is the default. */
export function parseFilters(search: string): Filters {
  const query = new URLSearchParams(search);
  const text = (name: string): string => query.get(name) ?? '';
  const sort = SORTS.find(([each]) => each === text('sort'))?.[0] ?? 'updated';
  return { q: text('q'), status: text('status'), tag: text('tag'), model: text('model'), sort };
}

/** Returns the query of an address with these filters; empty without any. */
export function toSearch(filters: Filters): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filters[name] !== '') query.set(name, filters[name]);
  if (filters.sort !== 'updated') query.set('sort', filters.sort);
  return query.size === 0 ? '' : `?${query}`;
}

/** True if the filters leave nothing out. */
export function isUnfiltered(filters: Filters): boolean {
  return NAMES.every((name) => filters[name] === '');
}

/** The rows that are shown; conversations that wait for a person stand first. */
export interface Shown {
  readonly waiting: readonly Row[];
  readonly others: readonly Row[];
}

/** Filters and orders the list. Sub-agents are shown while a text is searched, or while they wait for a person. */
export function show(rows: readonly Row[], filters: Filters): Shown {
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => matches(row, filters, words)).toSorted(ORDERS[filters.sort]);
  return { waiting: found.filter(waitsForPerson), others: found.filter((row) => !waitsForPerson(row)) };
}

/** True for the conversation of a sub-agent that is not shown, whatever the other filters are, because it is a part of its parent. */
export function isHiddenChild(row: Row, { q }: Pick<Filters, 'q'>): boolean {
  return row.parentId !== null && q === '' && !waitsForPerson(row);
}

function matches(row: Row, { status, tag, model, q }: Filters, words: readonly string[]): boolean {
  if (isHiddenChild(row, { q })) return false;
  if (status !== '' && !hasStatus(row, status)) return false;
  if (model !== '' && row.model !== model) return false;
  if (tag !== '' && !hasTag(row, tag)) return false;
  const text = searchText(row);
  return words.every((word) => text.includes(word));
}

/** True if a row is shown under a status: what waits for an answer also waits for a person. */
export function hasStatus(row: Row, status: string): boolean {
  return row.status === status || (status === 'waiting_for_confirmation' && waitsForPerson(row));
}

function hasTag({ tags }: Row, tag: string): boolean {
  const [name = '', ...rest] = tag.split(':');
  if (!Object.hasOwn(tags, name)) return false;
  return rest.length === 0 || tags[name] === rest.join(':');
}

function searchText(row: Row): string {
  const tags = Object.entries(row.tags).flat();
  return [nameOf(row), row.id, row.model, row.workspace, ...tags].join('\n').toLowerCase();
}

const ORDERS: Readonly<Record<Sort, (one: Row, other: Row) => number>> = {
  updated: (one, other) => compare(other.updatedAt, one.updatedAt),
  created: (one, other) => compare(other.createdAt, one.createdAt),
  cost: (one, other) => other.cost - one.cost || compare(other.updatedAt, one.updatedAt),
  title: (one, other) => nameOf(one).localeCompare(nameOf(other)),
};

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the tags of a list as filters, most frequent first: `name`, and `name:value` where a name has several values. */
export function tagFilters(rows: readonly Row[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tags, title } of rows)
    for (const [name, value] of shownTags(tags, title))
      for (const key of value === '' ? [name] : [name, `${name}:${value}`]) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
}

/** Returns the models of a list in the order of their names. */
export function modelNames(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.map(({ model }) => model))].filter(Boolean).toSorted();
}
