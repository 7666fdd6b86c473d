import { describe, expect, test } from 'vitest';
import { conversationClientFrameSchema } from '../../src/sockets/client-frames.ts';
import { sessionFrameSchema } from '../../src/sockets/session-frames.ts';
import { bashSocket, CLOSE_CODES, eventsSocket, sessionSocket } from '../../src/sockets/index.ts';

describe('the socket of events', () => {
  test('the socket of events asks for nothing to be sent again unless told', () => {
    expect(eventsSocket.query.parse({})).toEqual({
      session_api_key: null,
      resend_mode: null,
      after_timestamp: null,
      resend_all: false,
    });
  });

  test('the socket of events takes both names of sending everything again, and refuses others', () => {
    expect(eventsSocket.query.parse({ resend_all: 'true' }).resend_all).toBe(true);
    expect(eventsSocket.query.parse({ resend_mode: 'all' }).resend_mode).toBe('all');
    expect(eventsSocket.query.safeParse({ resend_mode: 'some' }).success).toBe(false);
    expect(eventsSocket.query.safeParse({ resend_mode: 'since', after_timestamp: 'now' }).success).toBe(false);
  });

  test('an event of a kind that is not known is kept', () => {
    const event = { id: '1', timestamp: '2026-03-01T10:00:00.000001', source: 'agent', kind: 'DreamEvent', depth: 3 };
    expect(eventsSocket.serverFrame.parse({ ...event })).toEqual(event);
    expect(eventsSocket.serverFrame.safeParse({ hello: 1 }).success).toBe(false);
  });
});

describe('frames of a client', () => {
  test('a message is a frame with or without `run`', () => {
    const frame = { role: 'user', content: [{ type: 'text', text: 'Hi' }], run: true };
    expect(conversationClientFrameSchema.parse(frame)).toEqual({ role: 'user', content: frame.content });
  });

  test('an auth frame is recognised by its type', () => {
    const frame = { type: 'auth', session_api_key: 'k' };
    expect(conversationClientFrameSchema.parse(frame)).toEqual(frame);
    expect(bashSocket.clientFrame.parse(frame)).toEqual(frame);
    expect(conversationClientFrameSchema.safeParse({ type: 'auth' }).success).toBe(false);
  });

  test('a command needs no folder and no time', () => {
    expect(bashSocket.clientFrame.parse({ command: 'ls' })).toEqual({ command: 'ls', cwd: null, timeout: 300 });
  });

  test.each([{}, { role: 'assistant', content: [] }, { content: [] }, [], 'hi', null, { type: 'pause' }])(
    'a frame %j is not a message',
    (frame) => {
      expect(conversationClientFrameSchema.safeParse(frame).success).toBe(false);
    },
  );
});

describe('the session socket', () => {
  test('the session socket counts from an event, from the beginning, or not at all', () => {
    expect(sessionSocket.query.parse({ after_seq: '41' }).after_seq).toBe(41);
    expect(sessionSocket.query.parse({ after_seq: '-1' }).after_seq).toBe(-1);
    expect(sessionSocket.query.parse({}).after_seq).toBeNull();
    expect(sessionSocket.query.safeParse({ after_seq: '-2' }).success).toBe(false);
    expect(sessionSocket.query.safeParse({ after_seq: 'last' }).success).toBe(false);
  });

  const event = { id: 'e1', timestamp: '2026-03-01T10:00:00.000001', source: 'user', kind: 'PauseEvent' };

  test.each([
    { type: 'sync', from_seq: -1, through_seq: null },
    { type: 'durable', seq: 7, event },
    { type: 'transient', event },
    { type: 'item_started', item_id: 'e2', attempt: 1, anchor_seq: 7 },
    { type: 'delta', item_id: 'e2', attempt: 1, order: 0, kind: 'text', content: 'Hel' },
    { type: 'item_aborted', item_id: 'e2', attempt: 1, reason: 'cancelled' },
    { type: 'error', code: 'ValidationError', detail: 'no message' },
  ])('the session socket reads a frame of type $type', (frame) => {
    expect(sessionFrameSchema.parse(structuredClone(frame))).toEqual(frame);
  });

  test('an unknown type is to be ignored, and an unknown member too', () => {
    expect(sessionFrameSchema.parse({ type: 'weather', wind: 3 })).toBeUndefined();
    expect(sessionFrameSchema.parse({ type: 'sync', from_seq: null, through_seq: 3, extra: 1 })).toMatchObject({
      through_seq: 3,
    });
  });

  test('a frame of a known type with a wrong member is an error', () => {
    expect(sessionFrameSchema.safeParse({ type: 'durable', seq: '-1', event }).success).toBe(false);
    expect(sessionFrameSchema.safeParse({ type: 'delta', item_id: 'e2', attempt: 0 }).success).toBe(false);
  });
});

test('authentication and a missing conversation are final, nothing else is', () => {
  const final = Object.values(CLOSE_CODES).filter(({ reconnect }) => reconnect === 'never');
  expect(final).toEqual([CLOSE_CODES.authenticationFailed, CLOSE_CODES.forbidden, CLOSE_CODES.notFound]);
});
