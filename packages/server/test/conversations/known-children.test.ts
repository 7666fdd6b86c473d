import { randomUUID } from 'node:crypto';

import type { ConversationStore, ConversationSummary, ListQuery } from '@conv/core/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { KnownChildren } from '../../src/conversations/known-children.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const PARENT = randomUUID();
const START = Date.UTC(2026, 0, 1);

/** A conversation that says it was made so many seconds after the first one. */
function made(seconds: number, parentId: string | null = null): ConversationSummary {
  const at = new Date(START + seconds * 1000).toISOString();
  const none = { title: null, status: 'idle', tags: {}, forkedFrom: null };
  return { id: randomUUID(), createdAt: at, updatedAt: at, parentId, ...none };
}

/** What is listed, newest first, and the pages that were asked for. */
function listing(items: ConversationSummary[]) {
  const pages: (string | undefined)[] = [];
  const list = async ({ page, limit = 20 }: ListQuery = {}) => {
    pages.push(page);
    const sorted = items.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
    const from = Number(page ?? 0);
    const next = from + limit < sorted.length ? { next: String(from + limit) } : {};
    return { items: sorted.slice(from, from + limit), ...next };
  };
  return { pages, store: { list } as unknown as ConversationStore };
}

test('one whose server has a slower clock, or that was listed behind a newer one, is known at any server', async () => {
  const items = [made(0), made(100)];
  const { store } = listing(items);
  const known = new KnownChildren(store);
  expect(await known.of(PARENT)).toEqual([]);
  const late = made(70, PARENT);
  items.push(late);
  vi.advanceTimersByTime(5001);
  expect(await known.of(PARENT)).toEqual([late.id]);
});

test('the whole list is read once, and then its beginning', async () => {
  const items = Array.from({ length: 250 }, (_, index) => made(index * 60));
  const child = made(30, PARENT);
  items.push(child);
  const { store, pages } = listing(items);
  const known = new KnownChildren(store);
  expect(await known.of(PARENT)).toEqual([child.id]);
  expect(pages).toEqual([undefined, '100', '200']);
  vi.advanceTimersByTime(5001);
  expect(await known.of(PARENT)).toEqual([child.id]);
  expect(pages).toEqual([undefined, '100', '200', undefined]);
});
