import { projections, type Projection } from '@conv/core';
import type { Commit } from '@conv/core/store';
import type { CommitsPage, StateAtAnswer } from '@conv/openhands/rest';
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

test('P9: neither commits nor states hold the key of a model', async () => {
  const server = await startServer({ turns: [{ text: 'hello' }] });
  const { id } = await server.make({ initial_message: message('hi') });
  for (const path of ['commits', 'state']) {
    const { body } = await server.call('GET', `/api/conversations/${id}/${path}`);
    expect(JSON.stringify(body)).not.toContain('sk-plain');
  }
});
