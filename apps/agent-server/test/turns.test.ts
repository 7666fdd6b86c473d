import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text } from '@conv/core/tool';
import { local } from '@conv/local';
import { openRemoteConversation } from '@conv/remote';
import { StreamingAgent } from '@conv/testing-harness';
import { turnItems, turns, TurnView, type TurnChange, type TurnItem } from '@conv/turns';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { ServerUnderTest } from './server-under-test.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ words: z.string() }),
  execute: ({ words }) => text(words),
});

type Open = (agent: Agent) => Promise<Conversation>;

async function openLocal(agent: Agent): Promise<Conversation> {
  const store = new MemoryStore();
  const create = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  const conversation = await create.create({ agent, workspace: '.', confirmationPolicy: { kind: 'AlwaysConfirm' } });
  onTestFinished(() => conversation.close());
  return conversation;
}

async function openRemote(agent: Agent): Promise<Conversation> {
  const server = await ServerUnderTest.start(agent);
  onTestFinished(() => server.dispose());
  const conversation = await openRemoteConversation(
    {},
    { workspace: server.workspace, agent: agent.describe(), confirmationPolicy: { kind: 'AlwaysConfirm' } },
  );
  onTestFinished(() => conversation.close());
  return conversation;
}

const RUNTIMES: readonly (readonly [string, Open])[] = [
  ['a local conversation', openLocal],
  ['a remote conversation', openRemote],
];

function scripted(...answers: readonly ModelTurn[]): Agent {
  return new ScriptedAgent({ script: new ModelScript(answers), tools: [echo] });
}

/** An item in words that are the same in each conversation. */
function words(item: TurnItem): string {
  if (item.kind === 'call') return `${item.tool} ${item.input}: ${item.result?.outcome ?? item.phase}`;
  if (item.kind === 'answer') return item.text;
  return item.kind === 'message' ? `${item.from} says` : item.kind;
}

async function itemsIn({ events }: Conversation): Promise<readonly TurnItem[]> {
  const log = await events.slice();
  return turnItems(log.map((event, index) => ({ event, index })));
}

/** Takes changes into a view until one is as wanted. */
async function until(
  changes: AsyncIterableIterator<TurnChange>,
  view: TurnView,
  wanted: (change: TurnChange) => boolean,
): Promise<readonly TurnChange[]> {
  const taken: TurnChange[] = [];
  for (;;) {
    const { value } = await changes.next();
    taken.push(value);
    view.take(value);
    if (wanted(value)) return taken;
  }
}

const status =
  (wanted: string) =>
  (change: TurnChange): boolean =>
    change.type === 'state' && change.status === wanted;

test.each(RUNTIMES)(
  'P11: %s tells calls, decisions and answers, to a client that stays and a client that comes back',
  async (_, open) => {
    const conversation = await open(
      scripted(
        {
          calls: [
            { name: 'echo', arguments: { words: 'one' } },
            { name: 'echo', arguments: { words: 'two' } },
          ],
        },
        { text: 'Both are done.' },
      ),
    );
    const staying = new TurnView();
    const changes = turns(conversation, { after: -1 });
    onTestFinished(async () => void (await changes.return?.()));
    await conversation.sendMessage('Say it twice');
    await conversation.run();
    await until(changes, staying, status('waiting_for_confirmation'));
    const said = ['user says', 'echo {"words":"one"}: waiting', 'echo {"words":"two"}: waiting'];
    expect(staying.items.map(words)).toEqual(said);
    const coming = new TurnView();
    await until(turns(conversation), coming, ({ type }) => type === 'state');
    expect(coming.items).toEqual(staying.items);
    const [first] = conversation.state.pendingActions;
    await conversation.reject([first?.id ?? ''], 'once is enough');
    await conversation.approve();
    await conversation.run();
    await until(changes, staying, status('finished'));
    await until(turns(conversation, { after: coming.resume() }), coming, ({ type }) => type === 'state');
    for (const view of [staying, coming]) {
      expect(view.items).toEqual(await itemsIn(conversation));
      expect(view.status).toBe('finished');
    }
    expect(staying.items.map(words)).toEqual([
      'user says',
      'echo {"words":"one"}: rejected',
      'echo {"words":"two"}: output',
      'Both are done.',
    ]);
  },
);

test.each(RUNTIMES)(
  'P11: %s tells pieces of an answer, withdraws a failed attempt, and then tells the answer',
  async (_, open) => {
    const conversation = await open(
      new StreamingAgent(({ say }) => {
        say('Wrong', { attempt: 1 });
        say('Think', { attempt: 2, kind: 'reasoning' });
        say('Right', { attempt: 2 });
        return 'Right it is.';
      }),
    );
    const view = new TurnView();
    const changes = turns(conversation, { after: -1 });
    onTestFinished(async () => void (await changes.return?.()));
    await until(changes, view, ({ type }) => type === 'state');
    await conversation.sendMessage('Go');
    const running = conversation.run();
    const told = await until(changes, view, status('finished'));
    await running;
    const streamed = told.flatMap((change) => {
      if (change.type === 'piece') return [`${change.part} ${change.text}`];
      return change.type === 'withdrawn' ? [change.reason] : [];
    });
    expect(streamed).toEqual(['text Wrong', 'retried', 'reasoning Think', 'text Right', 'replaced']);
    expect(view.items).toEqual(await itemsIn(conversation));
    expect(view.answer).toBeUndefined();
  },
);

test.each(RUNTIMES)('%s withdraws the pieces of an answer that is interrupted', async (_, open) => {
  const begun = Promise.withResolvers<void>();
  const conversation = await open(
    new StreamingAgent(async ({ say, context }) => {
      say('Half an');
      begun.resolve();
      await new Promise((__, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
      return '';
    }),
  );
  const view = new TurnView();
  const changes = turns(conversation, { after: -1 });
  onTestFinished(async () => void (await changes.return?.()));
  await conversation.sendMessage('Go');
  const running = conversation.run().catch(() => undefined);
  await until(changes, view, ({ type }) => type === 'piece');
  expect(view.answer?.text).toBe('Half an');
  await begun.promise;
  await conversation.interrupt();
  await until(changes, view, ({ type }) => type === 'withdrawn');
  await until(changes, view, status('paused'));
  await running;
  expect(view.items).toEqual(await itemsIn(conversation));
});
