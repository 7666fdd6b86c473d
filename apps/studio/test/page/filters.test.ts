import { expect, test } from 'vitest';
import type { Row } from '../../src/page/data/row.ts';
import { isHiddenChild, parseFilters, show, tagFilters, toSearch } from '../../src/page/list/filters.ts';

function row(id: string, change: Partial<Row> = {}): Row {
  return {
    id,
    title: `Title ${id}`,
    status: 'finished',
    tags: {},
    model: 'openai/gpt-5.2',
    cost: 0,
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
    workspace: '/work',
    parentId: null,
    forkedFrom: null,
    damaged: false,
    ...change,
  };
}

const ids = (rows: readonly Row[]): readonly string[] => rows.map(({ id }) => id);

test('an address holds every filter and gives it back', () => {
  const filters = { q: 'a b', status: 'error', tag: 'team:x:y', model: 'm/1', sort: 'cost' } as const;
  expect(parseFilters(toSearch(filters))).toEqual(filters);
  expect(toSearch(parseFilters(''))).toBe('');
  expect(parseFilters('?sort=nonsense').sort).toBe('updated');
});

test('conversations that wait for a person stand before all others, newest change first', () => {
  const rows = [
    row('a', { updatedAt: '2026-01-03T00:00:00Z' }),
    row('b', { status: 'waiting_for_confirmation' }),
    row('c', { updatedAt: '2026-01-04T00:00:00Z' }),
  ];
  const { waiting, others } = show(rows, parseFilters(''));
  expect([ids(waiting), ids(others)]).toEqual([['b'], ['c', 'a']]);
});

test('conversations that wait for an answer stand first too, under the status of waiting for a person', () => {
  const rows = [row('a'), row('b', { status: 'waiting_for_answer' }), row('c', { status: 'running' })];
  expect(ids(show(rows, parseFilters('')).waiting)).toEqual(['b']);
  expect(ids(show(rows, parseFilters('?status=waiting_for_confirmation')).waiting)).toEqual(['b']);
  expect(ids(show(rows, parseFilters('?status=running')).others)).toEqual(['c']);
});

test('every word of a search must stand in title, tags, model, folder or id', () => {
  const rows = [row('a', { tags: { team: 'Web' } }), row('b', { workspace: '/home/web' }), row('c')];
  expect(ids(show(rows, parseFilters('?q=web')).others)).toEqual(['a', 'b']);
  expect(ids(show(rows, parseFilters('?q=web+team')).others)).toEqual(['a']);
});

test('a tag is filtered by its name, or by its name and value', () => {
  const rows = [row('a', { tags: { team: 'web' } }), row('b', { tags: { team: 'data:1' } }), row('c')];
  expect(ids(show(rows, parseFilters('?tag=team')).others)).toEqual(['a', 'b']);
  expect(ids(show(rows, parseFilters('?tag=team:data:1')).others)).toEqual(['b']);
  expect(tagFilters(rows)).toEqual(['team', 'team:web', 'team:data:1']);
  expect(ids(show(rows, parseFilters('?tag=constructor')).others)).toEqual([]);
});

test('sub-agents are shown while a text is searched or while they wait for a person', () => {
  const rows = [row('a', { parentId: 'p' }), row('b', { parentId: 'p', status: 'waiting_for_confirmation' })];
  expect(show(rows, parseFilters(''))).toMatchObject({ waiting: [{ id: 'b' }], others: [] });
  expect(rows.map((each) => isHiddenChild(each, parseFilters('?status=running')))).toEqual([true, false]);
  expect(ids(show(rows, parseFilters('?q=title')).others)).toEqual(['a']);
});
