import type { JsonObject } from '@conv/core';
import { describe, expect, test } from 'vitest';

import type { HostedConversation } from '../../src/hosting/hosted-conversation.ts';
import { ended, events, kinds, message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until, type TestServer } from '../support/test-server.ts';
import { echoTool, waitingTool } from '../support/waiting-tool.ts';

const calls = (name: string, input: JsonObject = {}): { calls: { name: string; arguments: JsonObject }[] } => ({
  calls: [{ name, arguments: input }],
});

async function status(server: TestServer, id: string): Promise<string> {
  return (await server.info(id)).execution_status;
}

function run(server: TestServer, id: string, command = 'run'): Promise<{ readonly status: number }> {
  return server.call('POST', `/api/conversations/${id}/${command}`);
}

describe('a run', () => {
  test('a run is acknowledged when readers see it, goes on without its client, and is one at a time', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [calls('wait'), { text: 'done' }], tools: [wait.tool] });
    const { id } = await server.make({ initial_message: message('go', { run: false }) });
    expect(await status(server, id)).toBe('idle');
    expect((await run(server, id)).status).toBe(200);
    expect(await status(server, id)).toBe('running');
    expect((await run(server, id)).status).toBe(409);
    await wait.begun;
    wait.release();
    expect((await ended(server, id)).execution_status).toBe('finished');
    expect((await run(server, id)).status).toBe(200);
    expect((await ended(server, id)).execution_status).toBe('finished');
    expect(server.agents.requests()).toBe(2);
  });

  test('a run can be asked for when the run before has ended for readers, even while that still leaves', async () => {
    const server = await startServer({ turns: [{ text: 'one' }, { text: 'two' }] });
    const { id } = await server.make({ initial_message: message('go', { run: false }) });
    const hosted = server.host.loaded(id) as HostedConversation;
    const leaving = Promise.withResolvers<void>();
    const go = (): Promise<void> => hosted.conversation.run().then(() => leaving.promise);
    await hosted.start({ go });
    await ended(server, id);
    await server.call('POST', `/api/conversations/${id}/events`, message('more', { run: false }));
    const next = run(server, id);
    // the server has the request before it answers a later one
    await server.info(id);
    leaving.resolve();
    expect((await next).status).toBe(200);
    await until(async () => server.agents.requests() === 2);
    expect((await ended(server, id)).execution_status).toBe('finished');
  });

  test('P10: a run that approves nothing leaves the calls waiting, and needs no right to approve', async () => {
    const server = await startServer({
      sessionKeys: ['session'],
      approverKeys: ['approver'],
      turns: [calls('echo', { text: 'a' }), { text: 'done' }],
      tools: [echoTool],
    });
    const call = (
      path: string,
      body: JsonObject,
      key: string,
    ): Promise<{ readonly status: number; readonly body: unknown }> =>
      server.call('POST', `/api/conversations${path}`, body, { 'x-session-api-key': key });
    const asked = { confirmation_policy: { kind: 'AlwaysConfirm' }, initial_message: message('go') };
    const { id } = (await call('', { ...newConversation(server.folder), ...asked }, 'session')).body as { id: string };
    const there = (): Promise<{ readonly body: { readonly execution_status: string } }> =>
      server.call('GET', `/api/conversations/${id}`, undefined, { 'x-session-api-key': 'session' });
    await until(async () => (await there()).body.execution_status === 'waiting_for_confirmation');
    for (const key of ['session', 'approver'])
      expect((await call(`/${id}/run`, { approves: false }, key)).status).toBe(200);
    expect((await there()).body.execution_status).toBe('waiting_for_confirmation');
    expect((await call(`/${id}/run`, {}, 'session')).status).toBe(403);
    expect((await call(`/${id}/run`, {}, 'approver')).status).toBe(200);
    await until(async () => (await there()).body.execution_status === 'finished');
  });

  test('a run that is to answer a message is refused when something came after the message', async () => {
    const server = await startServer({ turns: [{ error: 'the model refuses' }, { text: 'better' }] });
    const { id } = await server.make({ initial_message: message('go', { run: false }) });
    const answers = (await events(server, id)).at(-1)?.id;
    const start = (body: JsonObject) => server.call('POST', `/api/conversations/${id}/run`, body);
    expect((await start({ answers: 'another event' })).status).toBe(409);
    expect((await start({ answers: String(answers) })).status).toBe(200);
    expect((await ended(server, id)).execution_status).toBe('error');
    expect((await start({ answers: String(answers) })).status).toBe(409);
    expect(await status(server, id)).toBe('error');
    expect((await start({ answers: null })).status).toBe(200);
    await until(async () => (await status(server, id)) === 'finished');
  });

  test('a failed run is an error of the conversation, not of the server, and can be run again', async () => {
    const server = await startServer({ turns: [{ error: 'the model refuses' }, { text: 'better' }] });
    const { id } = await server.make({ initial_message: message('go') });
    expect((await ended(server, id)).execution_status).toBe('error');
    expect((await kinds(server, id)).at(-1)).toBe('ConversationErrorEvent');
    expect((await run(server, id)).status).toBe(200);
    await until(async () => (await status(server, id)) === 'finished');
    expect(server.reported).toEqual([]);
  });

  test('a run is interrupted with its call, and the answer comes when it has ended', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [calls('wait'), { text: 'never' }], tools: [wait.tool] });
    const { id } = await server.make({ initial_message: message('go') });
    await wait.begun;
    expect((await run(server, id, 'interrupt')).status).toBe(200);
    expect(await status(server, id)).toBe('paused');
    expect((await kinds(server, id)).slice(-2)).toEqual(['AgentErrorEvent', 'InterruptEvent']);
  });

  test('a run is paused after its step', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [calls('wait'), { text: 'never' }], tools: [wait.tool] });
    const { id } = await server.make({ initial_message: message('go') });
    await wait.begun;
    expect((await run(server, id, 'pause')).status).toBe(200);
    wait.release();
    await until(async () => (await status(server, id)) === 'paused');
    expect((await kinds(server, id)).slice(-2)).toEqual(['ObservationEvent', 'PauseEvent']);
    expect(server.agents.requests()).toBe(1);
  });

  test('a run answers a message that comes during it', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [calls('wait'), { text: 'one' }, { text: 'two' }], tools: [wait.tool] });
    const { id } = await server.make({ initial_message: message('go') });
    await wait.begun;
    const sent = await server.call('POST', `/api/conversations/${id}/events`, message('and this', { run: true }));
    expect(sent.body).toEqual({ success: true });
    wait.release();
    await ended(server, id);
    const said = await events(server, id, '?kind=MessageEvent&source=user');
    expect(said).toHaveLength(2);
    expect((await kinds(server, id)).at(-1)).toBe('MessageEvent');
    expect((await events(server, id)).at(-1)?.source).toBe('agent');
  });

  test('a run leaves no message unanswered, however messages and the ends of runs fall together', async () => {
    const server = await startServer({ turns: Array.from({ length: 200 }, () => ({ text: 'yes' })) });
    const { id } = await server.make();
    for (let at = 0; at < 40; at++) {
      const sent = server.call('POST', `/api/conversations/${id}/events`, message(`message ${at}`, { run: true }));
      // some while a run is on, some when it has just ended
      if (at % 3 !== 0) await sent;
      if (at % 5 === 0) await ended(server, id);
    }
    await until(async () => (await events(server, id, '?source=user')).length === 40);
    await until(async () => (await status(server, id)) === 'finished');
    expect((await events(server, id, '?sort_order=TIMESTAMP_DESC&limit=1'))[0]?.source).toBe('agent');
  });

  test('a run is begun by a message that asks for it alone', async () => {
    const server = await startServer({ turns: [{ text: 'answer' }] });
    const { id } = await server.make();
    await server.call('POST', `/api/conversations/${id}/events`, message('first', { run: false, sender: 'me' }));
    expect(await status(server, id)).toBe('idle');
    expect((await events(server, id)).at(-1)).toMatchObject({ sender: 'me' });
    await server.call('POST', `/api/conversations/${id}/events`, message('second', { run: true }));
    expect((await ended(server, id)).execution_status).toBe('finished');
  });

  test('a run waits for its turn when too many are on, shows as running, and can be taken back', async () => {
    const wait = waitingTool();
    const server = await startServer({
      turns: [calls('wait'), { text: 'first' }],
      scripts: { second: [{ text: 'second' }], third: [{ text: 'third' }] },
      tools: [wait.tool],
      maxConcurrentRuns: 1,
    });
    const make = async (model: string): Promise<string> =>
      (await server.make({ agent: { kind: 'Agent', llm: { model } }, initial_message: message('go') })).id;
    const first = await make('scripted');
    await wait.begun;
    const [second, third] = [await make('second'), await make('third')];
    expect([await status(server, second), await status(server, third)]).toEqual(['running', 'running']);
    expect((await run(server, second)).status).toBe(409);
    expect((await run(server, second, 'pause')).status).toBe(200);
    expect(await status(server, second)).toBe('paused');
    wait.release();
    await ended(server, third);
    expect(await status(server, first)).toBe('finished');
    expect(server.agents.requests('second')).toBe(0);
    await run(server, second);
    expect((await ended(server, second)).execution_status).toBe('finished');
  });

  test('a run of another conversation is not kept waiting by a run that waits for a person', async () => {
    const server = await startServer({
      turns: [calls('echo', { text: 'a' }), { text: 'done' }],
      scripts: { other: [{ text: 'other' }] },
      tools: [echoTool],
      maxConcurrentRuns: 1,
    });
    const first = await server.make({ confirmation_policy: { kind: 'AlwaysConfirm' }, initial_message: message('go') });
    expect((await ended(server, first.id)).execution_status).toBe('waiting_for_confirmation');
    const agent = { kind: 'Agent', llm: { model: 'other' } };
    const other = await server.make({ agent, initial_message: message('go') });
    expect((await ended(server, other.id)).execution_status).toBe('finished');
  });
});

describe('actions that wait for a person', () => {
  const waiting = async (names: readonly string[]): Promise<{ server: TestServer; id: string }> => {
    const server = await startServer({
      turns: [{ calls: names.map((text) => ({ name: 'echo', arguments: { text } })) }, { text: 'done' }],
      tools: [echoTool],
    });
    const { id } = await server.make({
      confirmation_policy: { kind: 'AlwaysConfirm' },
      initial_message: message('go'),
    });
    expect((await ended(server, id)).execution_status).toBe('waiting_for_confirmation');
    return { server, id };
  };
  const respond = (server: TestServer, id: string, body: JsonObject): ReturnType<TestServer['call']> =>
    server.call('POST', `/api/conversations/${id}/events/respond_to_confirmation`, body);

  test('waiting actions run when they are accepted', async () => {
    const { server, id } = await waiting(['a']);
    expect((await respond(server, id, { accept: true })).body).toEqual({ success: true });
    await until(async () => (await status(server, id)) === 'finished');
    expect(await events(server, id, '?kind=ObservationEvent')).toHaveLength(1);
  });

  test('rejected actions are answered with the reason, and nothing runs', async () => {
    const { server, id } = await waiting(['a', 'b']);
    expect((await respond(server, id, { accept: false, reason: 'not now' })).body).toEqual({ success: true });
    expect(await status(server, id)).toBe('idle');
    const rejected = await events(server, id, '?kind=UserRejectObservation');
    expect(rejected.map((event) => (event as unknown as JsonObject)['rejection_reason'])).toEqual([
      'not now',
      'not now',
    ]);
    expect(server.agents.requests()).toBe(1);
  });

  test('waiting actions are approved one by one: exactly those run, and the others go on waiting', async () => {
    const { server, id } = await waiting(['a', 'b']);
    const actions = await events(server, id, '?kind=ActionEvent');
    const approved = await server.call('POST', `/api/conversations/${id}/approve`, { action_ids: [actions[1]?.id] });
    expect(approved.status).toBe(200);
    expect(await status(server, id)).toBe('waiting_for_confirmation');
    await run(server, id);
    const done = await until(async () => {
      const seen = await events(server, id, '?kind=ObservationEvent');
      return seen.length > 0 && seen;
    });
    expect(done).toMatchObject([{ action_id: actions[1]?.id }]);
    await until(async () => (await status(server, id)) === 'waiting_for_confirmation');
    const again = await server.call('POST', `/api/conversations/${id}/approve`, { action_ids: [actions[1]?.id] });
    expect(again.status).toBe(409);
    const rejection = { action_ids: [actions[0]?.id], reason: 'not this one' };
    expect((await server.call('POST', `/api/conversations/${id}/reject`, rejection)).status).toBe(200);
    const said = await events(server, id, '?kind=UserRejectObservation');
    expect(said).toMatchObject([{ action_id: actions[0]?.id, rejection_reason: 'not this one' }]);
    expect(await status(server, id)).toBe('idle');
  });

  test('an acceptance of actions changes nothing when no actions wait', async () => {
    const server = await startServer({ turns: [{ text: 'never asked' }] });
    const { id } = await server.make();
    expect((await respond(server, id, { accept: true })).status).toBe(200);
    expect(await kinds(server, id)).toEqual([]);
    expect((await respond(server, id, {})).status).toBe(422);
  });
});
