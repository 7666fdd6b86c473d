import type { Scope } from '@conv/server/access';
import { inCi } from '@conv/testing-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { OPERATIONS, requestOf, type Operation } from './operations.ts';
import { ALL, keyOf, LIMITS, RightsServer, SETS, UNTOUCHED, WHICH, type Asking, type Which } from './rights-server.ts';

let server: RightsServer;

beforeAll(async () => {
  server = await RightsServer.start();
}, 60_000);

afterAll(() => server.close());

interface Asked extends Asking {
  readonly operation: Operation;
}

/** Returns the refusal that the scopes and limits of a key say; `undefined` if its holder may do it. */
function expected({ operation, scopes, limits, which }: Asked): 403 | 404 | undefined {
  if (!scopes.includes('read')) return 403;
  const isKnown = which === 'own' || (which === 'foreign' && limits === 'all');
  if (!isKnown && operation.anywhere !== true) return 404;
  return operation.needs.every((scope) => scopes.includes(scope)) ? undefined : 403;
}

/** Resolves with the status, in which refusals of JSON-RPC and of tools are those of HTTP, and the text of the answer. */
async function ask({ operation, scopes, limits, which }: Asked): Promise<{ status: number; said: string }> {
  const answer = await fetch(
    requestOf(operation, server.places[which], { url: server.url, key: keyOf(limits, scopes) }),
  );
  const said = await answer.text();
  const status = REFUSALS.find(([text]) => said.includes(text))?.[1] ?? answer.status;
  return { status, said };
}

const REFUSALS: readonly (readonly [string, number])[] = [
  ['"code":-32001', 404],
  ['"text":"[NOT_FOUND]', 404],
  ['"text":"[DENIED]', 403],
];

const CASES: readonly Asked[] = OPERATIONS.flatMap((operation) =>
  SETS.flatMap((scopes) =>
    Object.keys(LIMITS).flatMap((limits) => WHICH.map((which) => ({ operation, scopes, limits, which }))),
  ),
);

test('P10: a key without the right reads, runs and approves nothing through an adapter', async () => {
  const wrong: string[] = [];
  const refused = inCi(
    CASES.filter((asked) => expected(asked) !== undefined),
    5,
  );
  expect(refused.length).toBeGreaterThan(400);
  for (const asked of refused) {
    const { status, said } = await ask(asked);
    const leaks = expected(asked) === 404 && /bob|blue|red/.test(said);
    if (status === expected(asked) && !leaks) continue;
    const { operation, scopes, limits, which } = asked;
    wrong.push(`${operation.name} ${keyOf(limits, scopes)} ${which}: ${expected(asked)} is ${status} ${said}`);
  }
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(await server.untouched()).toEqual(UNTOUCHED);
}, 300_000);

const ABOUT = OPERATIONS.filter(({ anywhere }) => anywhere !== true);

test.each(ABOUT)('$name tells of a foreign conversation what it tells of none', async (operation) => {
  const asked = { operation, scopes: ALL, limits: 'own' };
  const [foreign, missing] = [await ask({ ...asked, which: 'foreign' }), await ask({ ...asked, which: 'missing' })];
  const named = (place: Which): readonly string[] => Object.values(server.places[place]);
  const same = named('foreign').reduce((text, id, at) => text.replaceAll(id, named('missing')[at] ?? ''), foreign.said);
  expect([foreign.status, same]).toEqual([404, missing.said]);
});

test.each(OPERATIONS)('$name is allowed with its scopes', async (operation) => {
  const place = await server.waiting('ann', 'red');
  const key = keyOf('own', [...new Set<Scope>([...operation.needs, 'run'])]);
  const answer = await fetch(requestOf(operation, place, { url: server.url, key }));
  const said = staysOpen(operation) ? await firstPart(answer) : await answer.text();
  expect([answer.ok, said]).toEqual([
    true,
    expect.not.stringMatching(/"error":\{|"type":"error"|RUN_ERROR|"isError":true/),
  ]);
  if (!operation.needs.includes('approve')) return;
  // read again, because the conversation of the key may be a moment behind
  const { id, action } = place;
  const now = await server.fresh(id, keyOf('all', ALL));
  const results = (await now.events.slice()).filter((event) => 'action_id' in event && event.action_id === action);
  await now.close();
  const kind = /cancel|stop|edit|rejection/i.test(operation.name) ? 'UserRejectObservation' : 'ObservationEvent';
  expect(results.map((event) => event.kind)).toEqual([kind]);
});

/** True for a stream that goes on while a call waits. */
function staysOpen({ name, method }: Operation): boolean {
  return (method === 'GET' && /stream|resumption/.test(name)) || name.includes('Subscribe');
}

/** Resolves with the first part of an answer; `` for one without. */
async function firstPart({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const part = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(part?.value);
}
