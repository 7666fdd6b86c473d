import type { JsonObject } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { callInRounds } from '../../src/mcp/input-rounds.ts';

interface Played {
  readonly error: unknown;
  /** The questions of the user. */
  readonly asked: readonly unknown[];
  readonly kept: readonly JsonObject[];
  readonly sent: readonly object[];
}

/** Plays a call whose server wants these answers first. */
async function play(inputRequests: object, requestState = 'order-7'): Promise<Played> {
  const asked: unknown[] = [];
  const kept: JsonObject[] = [];
  const sent: object[] = [];
  const error = await callInRounds({
    send: async (more) => {
      sent.push(more);
      return (
        sent.length === 1 ? { resultType: 'input_required', inputRequests, requestState } : { content: [] }
      ) as never;
    },
    ask: async (question) => {
      asked.push(question);
      return { action: 'accept' };
    },
    asked: () => asked.length,
    keep: async (handle) => void kept.push(handle),
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, asked, kept, sent };
}

const form = (more: object = {}): object => ({
  method: 'elicitation/create',
  params: { message: 'For whom?', requestedSchema: { type: 'object', properties: {} }, ...more },
});

describe('a round of a call', () => {
  test('a round of a call asks the questions that the protocol allows, whatever their names are', async () => {
    const address = { mode: 'url', message: 'Pay there.', url: 'https://pay.example.com/7' };
    const requests = JSON.parse(
      JSON.stringify({ who: form(), page: { method: 'elicitation/create', params: address } }).replace(
        '"who"',
        '"__proto__"',
      ),
    ) as object;
    const { error, asked, sent } = await play(requests);
    expect(error).toBeUndefined();
    expect(asked).toHaveLength(2);
    const { inputResponses } = sent[1] as { readonly inputResponses: object };
    expect(Object.keys(inputResponses)).toEqual(['__proto__', 'page']);
  });

  test.each([
    ['without parameters', { method: 'elicitation/create', params: {} }],
    ['without properties', form({ requestedSchema: { type: 'object' } })],
    ['with a field that is no schema', form({ requestedSchema: { type: 'object', properties: { name: 'x' } } })],
    ['with an address that is none', form({ mode: 'url', url: 'pay' })],
    ['that is no object', 7],
    ['of another kind', { method: 'sampling/createMessage', params: {} }],
  ])('P13: a round of a call fails for a question %s before the user is asked, and is not kept', async (_, request) => {
    const { error, asked, kept, sent } = await play({ first: form(), who: request });
    expect(error).toMatchObject({ code: expect.any(Number) as number });
    expect([asked, kept]).toEqual([[], []]);
    expect(sent).toHaveLength(1);
  });

  test('P12: a round of a call fails for a state that is too large to keep', async () => {
    const { error, asked, kept } = await play({ who: form() }, 'x'.repeat(256 * 1024));
    expect(String(error)).toContain('expected at most 262144 characters of the state');
    expect([asked, kept]).toEqual([[], []]);
  });
});
