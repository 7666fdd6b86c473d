import { SECRET_MASK, type Agent, type AgentSession } from '@conv/core';
import { drafts, isEvent, isText } from '@conv/core/events';
import { toCommitSeq } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { open, play, type Bench } from '../support/bench.ts';
import { FakeVault } from '../support/fake-vault.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';

type EnrichResult = NonNullable<AgentSession['enrichResult']>;

/** Activates a single rule with the first call. */
const once: EnrichResult = (_, { activated }) =>
  activated.includes('sql')
    ? { extendedContent: [], activatedRules: [] }
    : { extendedContent: ['no SELECT *'], activatedRules: ['sql'] };

function enriching(script: Script, enrichResult: EnrichResult = once): ScriptedAgent {
  const agent = new ScriptedAgent(script);
  const start: Agent['start'] = async (...given) =>
    Object.assign(await ScriptedAgent.prototype.start.apply(agent, given), { enrichResult });
  return Object.assign(agent, { start });
}

/** A model that calls these tools at once, and then ends. */
function calling(...names: readonly string[]): Script {
  return { think: ({ number }) => (number === 1 ? names : 'done') };
}

/** Returns the content added to each result. */
async function added({ conversation }: Pick<Bench, 'conversation'>): Promise<readonly (readonly string[])[]> {
  const events = await conversation.events.slice();
  return events.flatMap((event) =>
    isEvent(event, 'ObservationEvent') ? [(event.extended_content ?? []).filter(isText).map(({ text }) => text)] : [],
  );
}

async function perform(agent: ScriptedAgent, runtime: Parameters<typeof play>[2] = {}, secrets = {}): Promise<Bench> {
  const bench = await play({}, { agent, ...secrets }, runtime);
  await bench.conversation.sendMessage('go');
  await bench.conversation.run();
  return bench;
}

describe('what the agent adds to a result', () => {
  test('an addition to a result is in its event, and its names are in the same commit', async () => {
    let read = '';
    const script: Script = {
      think: ({ number, view }) => {
        read = JSON.stringify(view.at(-1));
        return number === 1 ? ['work'] : 'done';
      },
    };
    const { conversation, store } = await perform(enriching(script));
    expect(await added({ conversation })).toEqual([['no SELECT *']]);
    expect(read).toContain('no SELECT *');
    const reader = await store.read(conversation.id);
    const commits = reader ? await Array.fromAsync(reader.commits({ from: toCommitSeq(0) })) : [];
    const commit = commits.find(({ events }) => events.some((event) => isEvent(event, 'ObservationEvent')));
    expect(commit?.patch?.add?.activatedPathRules).toEqual(['sql']);
    expect(conversation.state.activatedPathRules).toEqual(['sql']);
  });

  test('an addition comes once, although calls run at the same time', async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const script: Script = {
      ...calling('work', 'work', 'work'),
      concurrency: 3,
      resources: () => [],
      call: () => {
        if (++running === 3) both.resolve();
        return both.promise;
      },
    };
    const { conversation } = await perform(enriching(script));
    expect((await added({ conversation })).flat()).toEqual(['no SELECT *']);
    expect(conversation.state.activatedPathRules).toEqual(['sql']);
  });

  test('an addition to results comes once in a conversation, after a reopening and in forks too', async () => {
    const script = (): Script => ({ think: ({ number }) => (number % 2 === 1 ? ['work'] : 'done') });
    const { conversation, store } = await perform(enriching(script()));
    const forkId = await conversation.history.fork();
    await conversation.close();
    for (const id of [conversation.id, forkId]) {
      const again = await open(store, { agent: enriching(script()), id });
      await again.sendMessage('go on');
      await again.run();
      expect(await added({ conversation: again })).toEqual([['no SELECT *'], []]);
      expect(again.state.activatedPathRules).toEqual(['sql']);
      await again.close();
    }
  });

  test('an addition comes behind the result of a tool, and not behind an error', async () => {
    const call: Script['call'] = () => {
      throw new Error('broken');
    };
    const { conversation } = await perform(enriching({ ...calling('work'), call }));
    expect(await added({ conversation })).toEqual([]);
    expect(conversation.state.activatedPathRules).toEqual([]);
  });

  test('P9: an addition to a result is masked before it is stored', async () => {
    const agent = enriching(calling('work'), () => ({ extendedContent: ['it is correct-horse'], activatedRules: [] }));
    const secrets = { secrets: { TOKEN: 'correct-horse' } };
    const { conversation } = await perform(agent, { secrets: (vault) => new FakeVault(vault) }, secrets);
    expect(await added({ conversation })).toEqual([[`it is ${SECRET_MASK}`]]);
  });

  test('P12: an addition stays out of an event that would be too large, and comes with the next result', async () => {
    const rule: EnrichResult = (_, { activated }) =>
      activated.length > 0
        ? { extendedContent: [], activatedRules: [] }
        : { extendedContent: ['r'.repeat(60_000)], activatedRules: ['long'] };
    let calls = 0;
    const call: Script['call'] = (_tool, _signal, event) => {
      const text = 'x'.repeat(++calls === 1 ? 1_000_000 : 10);
      const content = [{ type: 'text', text, cache_prompt: false }] as const;
      return drafts.observation(event, { content, is_error: false, kind: 'WorkObservation' });
    };
    const { conversation } = await perform(enriching({ ...calling('work', 'work'), call }, rule));
    expect((await added({ conversation })).map((texts) => texts.map(({ length }) => length))).toEqual([[], [60_000]]);
    expect(conversation.state.activatedPathRules).toEqual(['long']);
  });

  test('P5: a failing addition loses no result', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const fail: EnrichResult = () => {
      throw new RangeError('no rules today');
    };
    const { conversation } = await perform(enriching(calling('work'), fail));
    expect(await added({ conversation })).toEqual([[]]);
    expect(conversation.state.executionStatus).toBe('finished');
    expect((await warned).message).toBe('no rules today');
  });
});
