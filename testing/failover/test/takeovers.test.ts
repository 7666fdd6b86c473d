import { expect, test } from 'vitest';

import { takeoversIn } from '../src/checks/takeovers.ts';
import type { Strike } from '../src/fleet/fleet.ts';
import { callOf, logOf, stored } from './stored-story.ts';
import { drafts, userMessage } from '@conv/core/events';

const NOW = Date.parse('2026-01-01T12:00:00');

function strikes(...struck: readonly (readonly [kind: Strike['kind'], member: string, at: number])[]): Strike[] {
  return struck.map(([kind, member, at]) => ({ kind, member, at: NOW + at }));
}

const witness = new Map([['mark', { startedBy: ['server-2.1'], ended: 0 }]]);

/** A run of which a process began a command at 1000; the next owner wrote something at 9000. */
function story() {
  return logOf(
    [{ events: [stored(userMessage('go'), NOW)], status: 'running' }, { events: [callOf('mark', NOW + 1000)] }],
    [{ events: [stored(drafts.pause(), NOW + 9000)] }],
  );
}

test('a run that another process continues is taken over, timed from the strike on its executing process', async () => {
  const struck = strikes(
    ['killed', 'server-1.1', 500],
    ['stopped', 'server-2.1', 2500],
    ['killed', 'server-3.1', 3000],
  );
  expect(takeoversIn(await story(), { seen: new Map(), starts: [], strikes: struck, witness })).toEqual([
    { seq: 2, from: 'server-2.1', strike: struck[1], milliseconds: 6500 },
  ]);
});

test('a process that is ended in order works until its last commit', async () => {
  const struck = strikes(['ended', 'server-2.1', 500]);
  expect(takeoversIn(await story(), { seen: new Map(), starts: [], strikes: struck, witness })).toEqual([
    { seq: 2, from: 'server-2.1', strike: struck[0], milliseconds: 8000 },
  ]);
});

test("a commit without a time gets the time of its sighting, and a process without commands its log's", async () => {
  const image = await logOf([{ events: [stored(userMessage('go'), NOW)], status: 'running' }], [{ status: 'running' }]);
  const struck = strikes(['stopped', 'server-1.1', 500], ['killed', 'server-2.1', 800]);
  const seen = new Map([[1, NOW + 4500]]);
  const starts = ['server-1.1', 'server-3.1'].map((member) => ({ member, conversation: 'c', at: NOW + 100 }));
  expect(takeoversIn(image, { seen, strikes: struck, starts, witness })).toEqual([
    { seq: 1, from: 'server-1.1', strike: struck[0], milliseconds: 4000 },
  ]);
});

test('a takeover without a strike has no time', async () => {
  expect(takeoversIn(await story(), { seen: new Map(), starts: [], strikes: [], witness })).toEqual([
    { seq: 2, from: 'server-2.1', strike: undefined, milliseconds: undefined },
  ]);
});

test('a process that stored more after it was stopped was not taken over because of that', async () => {
  expect(
    takeoversIn(await story(), {
      seen: new Map(),
      starts: [],
      strikes: strikes(['stopped', 'server-2.1', 100]),
      witness,
    }),
  ).toEqual([{ seq: 2, from: 'server-2.1', strike: undefined, milliseconds: undefined }]);
});

test('a conversation at rest is not taken over by its next owner', async () => {
  const image = await logOf(
    [{ events: [stored(userMessage('go'), NOW)], status: 'finished' }],
    [{ events: [stored(userMessage('again'), NOW + 1)] }],
  );
  expect(takeoversIn(image, { seen: new Map(), starts: [], strikes: [], witness })).toEqual([]);
});
