import { bashRoutes, commandRoutes, eventRoutes, gitRoutes, historyRoutes } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { readAnswer, toServerCall } from '../../src/transport/call-route.ts';

const CALL = { method: 'GET', path: '/api/somewhere' } as const;

function answered(value: unknown): { readonly status: number; readonly body: Uint8Array } {
  return { status: 200, body: new TextEncoder().encode(JSON.stringify(value)) };
}

test('a request has the method, the path and the codes of its route, and its parameters encoded', () => {
  const call = toServerCall(
    eventRoutes.get,
    { params: { conversation_id: 'a/b', event_id: 'c d' } },
    { conversationId: 'a/b' },
  );
  expect(call).toMatchObject({ method: 'GET', path: '/api/conversations/a%2Fb/events/c%20d', conversationId: 'a/b' });
  expect(call).not.toHaveProperty('json');
  const params = { conversation_id: '1' };
  expect(toServerCall(eventRoutes.approve, { params, body: { action_ids: null } })).toMatchObject({
    method: 'POST',
    json: { action_ids: null },
    codes: { 409: 'UNKNOWN_ACTION' },
  });
});

test('a caller says what a status means in its case', () => {
  const params = { conversation_id: '1' };
  const { codes } = toServerCall(commandRoutes.condense, { params }, { codes: { 404: 'UNKNOWN_EVENT' } });
  expect(codes).toEqual({ 404: 'UNKNOWN_EVENT', 409: 'UNSUPPORTED' });
});

test('a member that is not as the route says is left out of the answer, and others are kept', () => {
  const said = { seq: 'four', events: 5, state: {}, iteration: 1, task_list: [], pending: ['1'], later: true };
  expect(readAnswer(historyRoutes.getState, answered(said), CALL)).toEqual({
    events: 5,
    state: {},
    iteration: 1,
    task_list: [],
    pending: ['1'],
    later: true,
  });
  expect(readAnswer(commandRoutes.pause, answered({ success: 'perhaps' }), CALL)).toEqual({});
});

test('a change without a status is refused with its place instead of read as one of no kind', () => {
  const changes = [{ status: 'ADDED', path: 'a' }, { path: 'b' }];
  expect(() => readAnswer(gitRoutes.listChanges, answered(changes), CALL)).toThrow(
    expect.objectContaining({
      code: 'SERVER_FAILED',
      message: expect.stringMatching(/at 1\.status; update the server or this client$/) as string,
    }),
  );
});

test('an answer that is no object is refused where an object is expected', () => {
  for (const said of [[], 'done', null])
    expect(() => readAnswer(bashRoutes.start, answered(said), CALL)).toThrow(
      expect.objectContaining({ code: 'SERVER_FAILED' }),
    );
});
