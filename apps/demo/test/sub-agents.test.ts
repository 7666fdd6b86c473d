import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { toConversationKey } from '@conv/core/store';
import { isEvent } from '@conv/core/events';
import type { LocalConversation } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import {
  call,
  calls,
  createModelServer,
  say,
  toolResults,
  type ModelRequest,
  type ModelServer,
  type Turn,
} from '@conv/testing-model-server';
import { expect, onTestFinished, test, vi } from 'vitest';

import { newFolder } from './new-folder.ts';
import { chief, openAt } from './sub-agent-home.ts';

/** Usage of every answer, which determines its cost. */
const ONE_TOKEN = { promptTokens: 1, completionTokens: 1 };

type Play = (request: ModelRequest) => Turn;

/** A model of which one part plays the agent that has others work for it, and the other one those. */
async function modelOf(parent: Play, child: Play): Promise<ModelServer> {
  const isParent = ({ tools }: ModelRequest): boolean => tools.some(({ name }) => name === 'task');
  const server = await createModelServer({
    script: (request) => ({ ...(isParent(request) ? parent(request) : child(request)), usage: ONE_TOKEN }),
  });
  onTestFinished(async () => {
    await server.close();
    expect(server.violations).toEqual([]);
  });
  return server;
}

async function opened(...args: Parameters<typeof openAt>): Promise<LocalConversation> {
  const conversation = await openAt(...args);
  onTestFinished(() => conversation.close());
  return conversation;
}

/** Returns the text of the newest result that the model has read. */
function lastResult(request: ModelRequest): string {
  return toolResults(request).at(-1)?.text ?? '';
}

test('P4, P5: a task is resumed by its id after a process was killed inside of its command, and costs once', async () => {
  const folder = newFolder();
  const id = randomUUID();
  const begun = join(folder, 'project', 'begun');
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
  const server = await modelOf(
    (request) => {
      const [resume] = uuid.exec(lastResult(request)) ?? [];
      const results = toolResults(request);
      if (results.length === 0) return call('task', { prompt: 'Begin.', subagent_type: 'helper' });
      return results.length === 1 ? call('task', { prompt: 'Go on.', resume: resume ?? 'none' }) : say('all done');
    },
    (request) =>
      toolResults(request).length === 0 ? call('terminal', { command: 'touch begun; sleep 20' }) : say('helped'),
  );
  const program = fileURLToPath(new URL('sub-agent-process.ts', import.meta.url));
  const first = spawn(process.execPath, [program, folder, id, server.url], { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(() => void first.kill('SIGKILL'));
  await vi.waitUntil(() => existsSync(begun), { timeout: 100_000, interval: 20 });
  first.kill('SIGKILL');
  await once(first, 'exit');

  const parent = await opened(folder, { id, agent: chief(server.url) });
  const [childId = ''] = await childrenOf(folder, id);
  // the model reads that the call's outcome is unknown, and the id by which its sub-agent continues
  const failed = (await parent.events.slice()).find((event) => isEvent(event, 'AgentErrorEvent'));
  expect(failed?.error).toContain(childId);
  expect(parent.state.stats[`task:${childId}`]).toMatchObject({ calls: 1, cost: 1 });
  expect((await parent.run()).status).toBe('finished');
  expect(await parent.finalResponse()).toBe('all done');
  expect(parent.state.stats).toMatchObject({ default: { calls: 3 }, [`task:${childId}`]: { calls: 2, cost: 2 } });
  expect(parent.state.metrics.totalCost).toBe(5);
  expect(await childrenOf(folder, id)).toEqual([childId]);
  await parent.close();

  const child = await opened(folder, { id: childId, agent: chief(server.url) });
  const kinds = (await child.events.slice()).map((event) => event.kind.replace('Event', ''));
  // the command's end was not seen; then the second task, and the answer
  expect(kinds).toEqual(['SystemPrompt', 'Message', 'Action', 'AgentError', 'Pause', 'Message', 'Message']);
});

test('P1: eight sub-agents work at the same time in one process, in a folder each that others can read', async () => {
  const folder = newFolder();
  const server = await modelOf(
    (request) => {
      if (toolResults(request).length > 0) return say('all done');
      const task = (number: number): { name: string; arguments: object } => ({
        name: 'task',
        arguments: { prompt: `Help ${number}.`, subagent_type: 'helper', description: `help ${number}` },
      });
      return calls([1, 2, 3, 4, 5, 6, 7, 8].map(task) as never);
    },
    (request) => (toolResults(request).length < 2 ? call('terminal', { command: 'echo helping' }) : say('helped')),
  );
  const parent = await opened(folder, { agent: chief(server.url) });
  await parent.sendMessage('go');
  expect((await parent.run()).status).toBe('finished');
  const ids = await childrenOf(folder, parent.id);
  expect(ids).toHaveLength(8);
  expect(parent.state.metrics).toMatchObject({ llmCallCount: 2 + 8 * 3, totalCost: 26 });
  const results = (await parent.events.slice()).filter((event) => isEvent(event, 'ObservationEvent'));
  expect(results.map(({ observation }) => observation)).toMatchObject(
    ids.map(() => ({ kind: 'TaskObservation', status: 'completed', subagent: 'helper', is_error: false })),
  );
  for (const id of ids) {
    const meta = join(folder, 'conversations', toConversationKey(id), 'meta.json');
    expect(JSON.parse(readFileSync(meta, 'utf8'))).toMatchObject({
      parent_conversation_id: parent.id,
      title: expect.stringMatching(/^help \d$/) as string,
      tags: { subagent: 'helper' },
    });
  }
});

test('P9: a secret that a sub-agent uses reaches its command, and no log', async () => {
  const folder = newFolder();
  const value = 'tok_8fJ2kQ91xZ';
  const server = await modelOf(
    (request) => {
      if (toolResults(request).length > 0) return say(`said: ${lastResult(request)}`);
      return call('delegate', { tasks: [{ prompt: 'Say it.', subagent_type: 'helper' }] });
    },
    (request) =>
      toolResults(request).length === 0
        ? call('terminal', { command: 'echo "it is $TOKEN"' })
        : say(lastResult(request)),
  );
  const parent = await opened(folder, { agent: chief(server.url), secrets: { TOKEN: value } });
  await parent.sendMessage('go');
  await parent.run();
  expect(await parent.finalResponse()).toContain('it is <secret-hidden>');
  for (const { body } of server.requests) expect(JSON.stringify(body)).not.toContain(value);
});

async function childrenOf(folder: string, id: string): Promise<readonly string[]> {
  const store = new FsStore({ directory: join(folder, 'conversations') });
  const { items } = await store.list({ limit: 100 });
  await store.close();
  return items.filter(({ parentId }) => parentId === id).map((item) => item.id);
}
