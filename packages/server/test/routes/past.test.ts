import { ConversationState, projections, type Projection } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, type Commit, type CommitRange, type JournalReader } from '@conv/core/store';
import type { CommitsPage, ModelViewAnswer, OutlineAnswer, StateAtAnswer } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { ended, message } from '../support/conversation-calls.ts';
import { startServer } from '../support/test-server.ts';

test('P6: the commits of a conversation, page by page, fold to its state; its state at each is told', async () => {
  const server = await startServer({ turns: [{ text: 'hello' }] });
  const { id } = await server.make({ initial_message: message('hi'), tags: { a: 'b' } });
  await ended(server, id);
  const commits: Commit[] = [];
  let more = true;
  while (more) {
    const after = commits.at(-1)?.seq ?? -1;
    const path = `/api/conversations/${id}/commits?after=${after}&limit=2`;
    const { body } = await server.call<CommitsPage>('GET', path);
    commits.push(...(body.commits as unknown as Commit[]));
    more = body.has_more;
    expect(body.through).toBeGreaterThanOrEqual(commits.length - 1);
  }
  expect(commits.map(({ seq }) => seq)).toEqual(commits.map((_, at) => at));
  const reader = (await server.store.read(id)) as NonNullable<Awaited<ReturnType<typeof server.store.read>>>;
  let folded: Projection = projections.empty;
  for (const commit of commits) {
    folded = await projections.foldCommit(reader, folded, commit);
    const { body } = await server.call<StateAtAnswer>('GET', `/api/conversations/${id}/state?at=${commit.seq}`);
    expect(body.state).toEqual(JSON.parse(JSON.stringify(folded.fields)));
    expect(body.events).toBe(commit.firstEvent + commit.events.length);
    for (let event = commit.firstEvent as number; event < body.events; event++) {
      const at = await server.call<StateAtAnswer>('GET', `/api/conversations/${id}/state?event=${event}`);
      expect(at.body).toEqual(body);
    }
  }
  const { body: last } = await server.call<StateAtAnswer>('GET', `/api/conversations/${id}/state`);
  expect(last.seq).toBe(commits.length - 1);
  expect(last).toMatchObject({ iteration: 1, task_list: [], pending: [] });
  expect((await server.call('GET', `/api/conversations/${id}/state?at=${commits.length}`)).status).toBe(404);
  expect((await server.call('GET', `/api/conversations/${id}/state?at=x`)).status).toBe(422);
  expect((await server.call('GET', `/api/conversations/${id}/state?event=${last.events}`)).status).toBe(404);
  expect((await server.call('GET', `/api/conversations/${id}/state?at=1&event=1`)).status).toBe(422);
  const beyond = await server.call<CommitsPage>('GET', `/api/conversations/${id}/commits?after=${commits.length + 5}`);
  expect(beyond.body).toMatchObject({ commits: [], has_more: false });
});

test('the newest state of a long log is told without the commits before its snapshot', async () => {
  const store = new MemoryStore();
  const id = crypto.randomUUID();
  const state = await ConversationState.open(await store.open(id, { owner: 'test' }), { id });
  for (let count = 0; count < 600; count++) await state.append([userMessage(`message ${count}`)]);
  await state.close();
  let read = 0;
  const counting = new Proxy(store, {
    get(target, name) {
      if (name === 'read') return async (wanted: string) => countCommits(await target.read(wanted), () => read++);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const server = await startServer({ store: counting, readOnly: 'a place to look' });
  const { body } = await server.call<StateAtAnswer>('GET', `/api/conversations/${id}/state`);
  expect(body).toMatchObject({ seq: 600, events: 600 });
  const newest = read;
  // an opening looks through the newest commits for damage
  expect(newest).toBeLessThan(400);
  const at = await server.call<StateAtAnswer>('GET', `/api/conversations/${id}/state?at=600`);
  expect(at.body).toEqual(body);
  expect(read).toBe(newest);
  await server.call('GET', `/api/conversations/${id}/state?at=599`);
  expect(read).toBeGreaterThan(599);
});

/** Calls `read` for each commit that a reader reads. */
function countCommits(reader: JournalReader | undefined, read: () => void): JournalReader | undefined {
  return (
    reader &&
    new Proxy(reader, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'commits')
          return async function* (range?: CommitRange) {
            for await (const commit of target.commits(range)) {
              read();
              yield commit;
            }
          };
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    })
  );
}

test('the outline of a log has its marks, as many as asked for, from an event on, and in parts', async () => {
  const server = await startServer({ turns: [{ text: 'hello' }] });
  const { id } = await server.make({ initial_message: message('hi') });
  await ended(server, id);
  const part = await server.call<OutlineAnswer>('GET', `/api/conversations/${id}/outline?within=0`);
  expect(part.body).toEqual({ from: 0, events: 0, marks: [], cost: [] });
  const { body } = await server.call<OutlineAnswer>('GET', `/api/conversations/${id}/outline`);
  expect(body.marks.map(({ kind, label }) => [kind, label])).toEqual([
    ['message', 'hi'],
    ['answer', 'hello'],
  ]);
  expect(body.cost).toHaveLength(1);
  const rest = await server.call<OutlineAnswer>('GET', `/api/conversations/${id}/outline?after=${body.events}`);
  expect(rest.body).toEqual({ ...body, from: body.events - 1, marks: body.marks.slice(-1) });
  for (let more = 0; more < 40; more++) {
    const sent = { role: 'user', content: [{ type: 'text', text: `${more}` }], run: false };
    await server.call('POST', `/api/conversations/${id}/events`, sent);
  }
  const { body: few } = await server.call<OutlineAnswer>('GET', `/api/conversations/${id}/outline?buckets=16`);
  expect(few.marks.filter(({ kind }) => kind === 'message').length).toBeLessThanOrEqual(16);
  expect(few.marks.reduce((sum, { kind, count }) => sum + (kind === 'message' ? count : 0), 0)).toBe(41);
  for (const query of ['after=-1', 'after=x', 'buckets=1', 'buckets=2000', 'within=-1'])
    expect((await server.call('GET', `/api/conversations/${id}/outline?${query}`)).status).toBe(422);
  expect((await server.call('GET', `/api/conversations/${crypto.randomUUID()}/outline`)).status).toBe(404);
});

test('the view at a commit or an event has the messages of the model, page by page', async () => {
  const server = await startServer({ turns: [{ text: 'hello' }] });
  const { id } = await server.make({ initial_message: message('hi') });
  await ended(server, id);
  const path = `/api/conversations/${id}/view`;
  const { body: now } = await server.call<ModelViewAnswer>('GET', path);
  expect(now.messages.map(({ message: { role }, events }) => [role, events])).toEqual([
    ['system', [0]],
    ['user', [1]],
    ['assistant', [now.events - 1]],
  ]);
  expect(now.messages.map(({ cached, cache_point: point }) => [cached, point])).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ]);
  expect(now).toMatchObject({ first: 0, count: 3, hidden: [], condensation_requested: false });
  const { body: early } = await server.call<ModelViewAnswer>('GET', `${path}?event=1`);
  expect(early).toMatchObject({ events: 2, count: 2 });
  const { body: page } = await server.call<ModelViewAnswer>('GET', `${path}?from=1&limit=1`);
  expect(page).toEqual({ ...now, first: 1, messages: now.messages.slice(1, 2) });
  const { body: last } = await server.call<StateAtAnswer>('GET', `/api/conversations/${id}/state`);
  expect((await server.call<ModelViewAnswer>('GET', `${path}?at=${last.seq}`)).body).toEqual(now);
  for (const query of ['event=1&at=1', 'limit=0', 'limit=2000', 'from=-1'])
    expect((await server.call('GET', `${path}?${query}`)).status).toBe(422);
  for (const query of [`event=${now.events}`, `at=${last.seq + 1}`])
    expect((await server.call('GET', `${path}?${query}`)).status).toBe(404);
});

test('a page of a view that would be too large leaves its first messages out', async () => {
  const server = await startServer();
  const { id } = await server.make();
  const text = 'x'.repeat(900_000);
  for (let more = 0; more < 6; more++) {
    const sent = { role: 'user', content: [{ type: 'text', text }], run: false };
    expect((await server.call('POST', `/api/conversations/${id}/events`, sent)).status).toBe(200);
  }
  const { body: joined } = await server.call<ModelViewAnswer>('GET', `/api/conversations/${id}/view`);
  expect(joined).toMatchObject({ first: 1, count: 2 });
  expect(joined.messages[0]?.events).toHaveLength(6);
});

test('P9: neither commits nor states hold the key of a model', async () => {
  const server = await startServer({ turns: [{ text: 'hello' }] });
  const { id } = await server.make({ initial_message: message('hi') });
  for (const path of ['commits', 'state']) {
    const { body } = await server.call('GET', `/api/conversations/${id}/${path}`);
    expect(JSON.stringify(body)).not.toContain('sk-plain');
  }
});

test('P13: a misspelt point of the past is refused, and not taken for the present', async () => {
  const server = await startServer({ turns: [{ text: 'hello' }] });
  const { id } = await server.make({ initial_message: message('hi') });
  await ended(server, id);
  for (const path of ['state?evnt=1', 'view?evnt=1']) {
    const { status, body } = await server.call('GET', `/api/conversations/${id}/${path}`);
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('expected event, found')]);
  }
  const other = await server.call('GET', `/api/conversations/${id}/state?unlike_any=1`);
  expect(other.status).toBe(200);
});
