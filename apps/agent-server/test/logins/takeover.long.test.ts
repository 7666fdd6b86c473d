import { join } from 'node:path';

import { filesWith, inCi, keptPort, TOKEN_CANARY } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { eventsOf, make, says, until } from '../calls.ts';
import { type FleetProcess, startInFleet } from '../fleet/fleet-process.ts';
import { newFolder } from '../new-folder.ts';
import { eventually } from '../server-process.ts';
import { askedIn, loginBench } from './login-bench.ts';

/** A browser that comes back before another server has the conversation, or after that asked again. */
const cases = inCi(
  [
    ['after', 'fs'],
    ['before', 'sqlite'],
  ] as const,
  2,
);

test.each(cases)(
  'P4, P5: a login with a killed server ends at another, %s that resumed the run, with one call (%s)',
  async (moment, kind) => {
    const bench = await loginBench();
    const cwd = newFolder();
    const store = kind === 'fs' ? `fs:${join(cwd, 'store')}` : `sqlite:${join(cwd, 'conversations.db')}`;
    // as a balancer has it: the browser comes back to the address of the fleet, and from there to the server that is left
    const env = {
      OH_SECRET_KEY: 'one-secret-for-all-servers',
      CONV_MCP_HOSTS: bench.authorization.host,
      CONV_PUBLIC_URL: `http://127.0.0.1:${await keptPort()}`,
      CONV_TAKEOVER_SECONDS: moment === 'after' ? '2' : '5',
    };
    const start = (): Promise<FleetProcess> => startInFleet({ cwd, store, env });
    const [first, second] = [await start(), await start()];
    const { id } = await make(first.server, bench.described(cwd));
    await first.server.call('POST', `/api/conversations/${id}/events`, says('go', { run: true }));
    const address = await askedIn(second.server, id);
    first.server.kill('SIGKILL');
    await first.server.ended();
    if (moment === 'after') await second.server.logged('run taken over');
    const back = await bench.authorization.allow(address);
    expect(back.origin).toBe(env.CONV_PUBLIC_URL);
    const page = await fetch(`${second.url}${back.pathname}${back.search}`);
    expect(page.status).toBe(200);
    await until(second.server, id, 'finished');
    expect(bench.mcp.calls.map(({ text }) => text)).toEqual(['hello']);
    expect(bench.authorization.tokenRequests).toHaveLength(1);
    const events = await eventsOf(second.server, id);
    const ends = events.filter(
      (event) => event.kind !== 'ActionEvent' && 'tool_name' in event && event['tool_name'] === 'authorize',
    );
    // a server that has the tools when it begins has no tool `authorize`, and the model reads which tools there are
    expect(JSON.stringify(ends)).toMatch(/has allowed access|no longer available. Available tools: .*say/);
    expect(ends).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(TOKEN_CANARY);
    expect(filesWith(cwd, TOKEN_CANARY)).toEqual([]);
  },
);

test('P4: a login is ended by a server that did not begin it, while the server that waits for it goes on', async () => {
  const bench = await loginBench();
  const cwd = newFolder();
  const env = {
    OH_SECRET_KEY: 'one-secret-for-all-servers',
    CONV_MCP_HOSTS: bench.authorization.host,
    CONV_PUBLIC_URL: 'http://127.0.0.1:9',
  };
  const store = `sqlite:${join(cwd, 'conversations.db')}`;
  const [first, second] = [await startInFleet({ cwd, store, env }), await startInFleet({ cwd, store, env })];
  const { id } = await make(first.server, bench.described(cwd));
  await first.server.call('POST', `/api/conversations/${id}/events`, says('go', { run: true }));
  const back = await bench.authorization.allow(await askedIn(first.server, id));
  expect((await fetch(`${second.url}${back.pathname}${back.search}`)).status).toBe(200);
  await until(first.server, id, 'finished');
  expect(await eventually(() => bench.mcp.calls.at(0)?.text)).toBe('hello');
});
