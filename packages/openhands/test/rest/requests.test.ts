import { describe, expect, test } from 'vitest';

import { bashRoutes, commandRoutes, conversationRoutes, eventRoutes, readPart, routes } from '../../src/rest/index.ts';
import { ID, read, refused } from '../support/read-request.ts';

describe('ids', () => {
  test.each([ID, ID.replaceAll('-', ''), ID.toUpperCase(), `{${ID}}`, `urn:uuid:${ID}`])(
    'the id %s is read as the dashed one',
    (id) => {
      expect(read(conversationRoutes.get.params, { conversation_id: id })).toEqual({ conversation_id: ID });
      expect(read(conversationRoutes.getMany.query, { ids: id })).toEqual({ ids: [ID], include_skills: false });
    },
  );

  test('more than a hundred ids are refused, where OpenHands fails', () => {
    expect(refused(conversationRoutes.getMany.query, { ids: Array.from({ length: 101 }, () => ID) })).toEqual([
      ['ids'],
    ]);
  });
});

describe('listing', () => {
  test('a kind may be named in short or by its path', () => {
    const dotted = 'openhands.sdk.event.llm_convertible.message.MessageEvent';
    expect(read(eventRoutes.search.query, { kind: dotted }).kind).toBe('MessageEvent');
    expect(read(eventRoutes.search.query, { kind: 'MessageEvent' }).kind).toBe('MessageEvent');
    expect(read(eventRoutes.search.query, { kind: 'Other' }).kind).toBe('Other');
  });

  test.each(['0', '101', '-1', '1.5', 'many'])(
    'a limit of %s is refused, where OpenHands fails or guesses',
    (limit) => {
      expect(refused(eventRoutes.search.query, { limit })).toEqual([['limit']]);
      expect(refused(conversationRoutes.search.query, { limit })).toEqual([['limit']]);
    },
  );

  test('a time with a zone is read as the local one, to the microsecond', () => {
    const { timestamp__gte, timestamp__lt } = read(eventRoutes.search.query, {
      timestamp__gte: '2026-03-01T10:00:00.000123',
      timestamp__lt: new Date(2026, 2, 1, 10, 0, 0, 500).toISOString(),
    });
    expect(timestamp__gte).toBe('2026-03-01T10:00:00.000123');
    expect(timestamp__lt).toBe('2026-03-01T10:00:00.500000');
    expect(refused(eventRoutes.search.query, { timestamp__gte: 'yesterday' })).toEqual([['timestamp__gte']]);
    expect(refused(eventRoutes.search.query, { timestamp__gte: '2026-13-01T10:00:00' })).toEqual([['timestamp__gte']]);
  });
});

describe('bash', () => {
  test('a command is named by 32 hex digits, times are UTC to the microsecond', () => {
    const query = read(bashRoutes.search.query, {
      command_id__eq: ID.toUpperCase(),
      timestamp__gte: '2026-03-01T12:00:00.000123+02:00',
      timestamp__lt: '2026-03-01T10:00:01Z',
      order__gt: '3',
    });
    expect(query).toMatchObject({
      command_id__eq: ID.replaceAll('-', ''),
      timestamp__gte: '2026-03-01T10:00:00.000123Z',
      timestamp__lt: '2026-03-01T10:00:01.000000Z',
      order__gt: 3,
      limit: 100,
    });
  });

  test('a time without a zone is local', () => {
    const { timestamp__gte } = read(bashRoutes.search.query, { timestamp__gte: '2026-03-01T10:00:00' });
    expect(timestamp__gte).toBe(new Date(2026, 2, 1, 10).toISOString().replace('.000Z', '.000000Z'));
  });
});

describe('messages', () => {
  test('a bare text is one part, and `run` is off unless it is asked for', () => {
    expect(read(eventRoutes.sendMessage.body, { content: 'Hi' })).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Hi' }],
      run: false,
      sender: null,
    });
  });

  test.each(['assistant', 'system', 'tool'])('the role %s is refused, where OpenHands fails', (role) => {
    expect(refused(eventRoutes.sendMessage.body, { role, content: [] })).toEqual([['role']]);
  });

  test('a member of a text part that readers of events refuse is refused', () => {
    expect(refused(eventRoutes.sendMessage.body, { content: [{ type: 'text', text: 'Hi', extra: 1 }] })).toEqual([
      ['content', 0, 'extra'],
    ]);
  });

  test('members of older clients are left out', () => {
    const content = [
      { text: 'Hi', enable_truncation: true },
      { type: 'image', image_urls: ['data:,'], more: 1 },
    ];
    expect(read(eventRoutes.sendMessage.body, { content }).content).toEqual([
      { text: 'Hi' },
      { type: 'image', image_urls: ['data:,'] },
    ]);
  });
});

describe('commands', () => {
  test('a secret is a text, a value or a source', () => {
    const secrets = {
      A: 'plain',
      B: { value: 'v' },
      C: { kind: 'LookupSecret', url: '/x' },
      D: { kind: 'Vault', path: 'p' },
    };
    expect(read(commandRoutes.updateSecrets.body, { secrets }).secrets).toEqual({
      ...secrets,
      A: { kind: 'StaticSecret', value: 'plain' },
    });
  });

  test('an analyzer is taken away by null only, never by leaving it out', () => {
    expect(read(commandRoutes.setSecurityAnalyzer.body, { security_analyzer: null })).toEqual({
      security_analyzer: null,
    });
    expect(refused(commandRoutes.setSecurityAnalyzer.body, {})).toEqual([['security_analyzer']]);
  });

  test('a confirmation policy of an unknown kind is refused', () => {
    expect(refused(commandRoutes.setConfirmationPolicy.body, { policy: { kind: 'Nope' } })).toEqual([
      ['policy', 'kind'],
    ]);
    expect(refused(commandRoutes.setConfirmationPolicy.body, { policy: 'AlwaysConfirm' })).toEqual([['policy']]);
  });

  test('a rejection without a reason gets the reason that OpenHands gives', () => {
    expect(read(eventRoutes.respondToConfirmation.body, { accept: false })).toEqual({
      accept: false,
      reason: 'User rejected the action.',
    });
    expect(refused(eventRoutes.respondToConfirmation.body, {})).toEqual([['accept']]);
  });

  test('a fork needs no body', () => {
    expect(read(conversationRoutes.fork.body, undefined)).toEqual({
      id: null,
      title: null,
      tags: null,
      reset_metrics: true,
      from_event_id: null,
    });
  });

  test('a title is not empty, and null leaves it', () => {
    expect(read(conversationRoutes.update.body, { title: null })).toEqual({ title: null, tags: null });
    expect(refused(conversationRoutes.update.body, { title: '' })).toEqual([['title']]);
    expect(refused(conversationRoutes.update.body, { title: 'x'.repeat(201) })).toEqual([['title']]);
  });

  test('navigating before the first event is null', () => {
    expect(read(conversationRoutes.navigate.body, { event_id: null })).toEqual({ event_id: null });
  });
});

test('P13: any request is read, or refused with the part that is wrong', () => {
  const odd = [
    undefined,
    null,
    0,
    '',
    'x',
    [],
    {},
    [null],
    { a: 1 },
    JSON.parse('{"__proto__":{"a":1}}'),
    nested(20_000),
  ];
  const schemas = routes
    .flatMap(({ params, query, body }) => [params, query, body])
    .filter((schema) => schema !== undefined);
  const answers = schemas.flatMap((schema) => odd.map((value) => readPart(schema, value, 'body')));
  const refusals = answers.flatMap((answer) => (answer.ok ? [] : answer.error.detail));
  expect(refusals.length).toBeGreaterThan(1000);
  expect(refusals.filter(({ loc, msg, type }) => loc[0] !== 'body' || msg === '' || type === '')).toEqual([]);
});

function nested(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}
