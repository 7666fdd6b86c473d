import type { Event } from '@conv/core/events';
import type { NewCommit } from '@conv/core/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  bodyBytes,
  bodyJson,
  commitJson,
  commitTooLarge,
  consecutiveNumbers,
  numberedCommit,
  readCommit,
  readCommitBody,
  toCommitBody,
} from '../../src/index.ts';

const event = { kind: 'PauseEvent', id: 'e1', timestamp: '2026-01-01T00:00:00', source: 'user', note: 'é\n"' };
const commit = { id: 'c1', events: [event as unknown as Event] } satisfies NewCommit;
const whole = {
  ...commit,
  patch: { set: { title: 'ü' } },
  records: [{ kind: 'model_call', model: 'm' }],
} as unknown as NewCommit;
const numbers = { seq: 7, epoch: 3, firstEvent: 12 };

test('P3: a commit is stored as these bytes', () => {
  const events =
    '"events":[{"kind":"PauseEvent","id":"e1","timestamp":"2026-01-01T00:00:00","source":"user","note":"é\\n\\""}]';
  const rest = '"patch":{"set":{"title":"ü"}},"records":[{"kind":"model_call","model":"m"}]';
  expect(bodyJson(toCommitBody(commit))).toBe(`{"id":"c1",${events}}`);
  expect(bodyJson(toCommitBody(whole))).toBe(`{"id":"c1",${events},${rest}}`);
  expect(bodyJson(toCommitBody({ id: 'c1', events: [] }))).toBe('{"id":"c1","events":[]}');
  expect(commitJson(toCommitBody(whole), numbers)).toBe(
    `{"seq":7,"epoch":3,"firstEvent":12,"id":"c1",${events},${rest}}`,
  );
});

test('P3: any commit reads back as it was written, and its JSON is that of its members', () => {
  const commits = fc.record(
    {
      id: fc.string({ unit: 'grapheme' }),
      events: fc.array(fc.string({ unit: 'grapheme' }).map((text) => ({ ...event, note: text }))),
      patch: fc.record({ set: fc.dictionary(fc.string(), fc.jsonValue()) }),
      records: fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
    },
    { requiredKeys: ['id', 'events'] },
  );
  fc.assert(
    fc.property(commits, (any) => {
      const made = JSON.parse(JSON.stringify(any)) as NewCommit;
      const { id, events, patch, records } = made;
      const body = toCommitBody(made);
      expect(bodyJson(body)).toBe(JSON.stringify({ id, events, patch, records }));
      expect(bodyBytes(body)).toBe(Buffer.byteLength(bodyJson(body)));
      expect(readCommit(commitJson(body, numbers))).toEqual(numberedCommit(made, numbers));
      expect(readCommitBody(bodyJson(body), numbers)).toEqual(numberedCommit(made, numbers));
    }),
  );
});

test('numbers of commits in a row count commits and events', () => {
  const many = { id: 'c2', events: [event, event, event] as unknown as readonly Event[] };
  expect(consecutiveNumbers([commit, { id: 'none', events: [] }, many, commit], numbers)).toEqual([
    { seq: 7, epoch: 3, firstEvent: 12 },
    { seq: 8, epoch: 3, firstEvent: 13 },
    { seq: 9, epoch: 3, firstEvent: 13 },
    { seq: 10, epoch: 3, firstEvent: 16 },
  ]);
});

test('a commit is too large from one byte above the limit on', () => {
  const size = { id: 'c1', conversationId: 'x' };
  expect(commitTooLarge({ ...size, bytes: 5 }, 5)).toBeUndefined();
  expect(commitTooLarge({ ...size, bytes: 6 }, 5)).toMatchObject({
    code: 'TOO_LARGE',
    message: '[TOO_LARGE] commit c1 of conversation x: expected at most 5 bytes, found 6; commit less at a time',
  });
  expect(commitTooLarge({ ...size, bytes: 16 * 1024 * 1024 })).toBeUndefined();
});
