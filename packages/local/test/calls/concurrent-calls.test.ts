import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { eventGuards, type ActionEvent } from '@conv/core/events';
import { eventsToMessages } from '@conv/openhands/messages';
import { StoreError } from '@conv/core/store';

import { gate, open, story, texts } from '../support/bench.ts';
import { stage, type CallStage } from '../support/call-stage.ts';
import { ScriptedAgent, toAction } from '../support/scripted-agent.ts';

const ALWAYS = { kind: 'AlwaysConfirm' } as const;

/** The tools of the calls with a result, in the order of the log. */
async function answered({ conversation }: Pick<CallStage, 'conversation'>): Promise<string> {
  const events = await conversation.events.slice();
  return events
    .filter(eventGuards.isObservationLike)
    .map((event) => event.tool_name)
    .join('');
}

/** The ids of the open calls, by the names of their tools. */
function idsOf({ conversation }: CallStage): Readonly<Record<string, string>> {
  return Object.fromEntries(conversation.state.pendingActions.map(({ tool_name: tool, id }) => [tool, id]));
}

describe('calls at the same time', () => {
  test('P5: calls start in one commit with the response, and each result is one with the next start', async () => {
    const { conversation, begun, end, running } = await stage(['a', 'b', 'c', 'd'], 2);
    await Promise.all([begun('a'), begun('b')]);
    for (const [name, next] of [
      ['b', 'c'],
      ['a', 'd'],
    ] as const) {
      end(name);
      await begun(next);
    }
    end('c');
    end('d');
    expect((await running).status).toBe('finished');
    const commits = await Array.fromAsync(conversation.history.commits());
    const seen = commits
      .filter(({ events }) => events.some((event) => 'tool_call_id' in event))
      .map(({ events, patch }) => [
        events
          .map((event) => `${event.kind === 'ActionEvent' ? '' : '='}${String(Reflect.get(event, 'tool_name'))}`)
          .join(' '),
        Object.values(patch?.add?.calls ?? {}).filter((phase) => phase === 'started').length,
      ]);
    expect(seen).toEqual([
      ['a b c d', 2],
      ['=b', 1],
      ['=a', 1],
      ['=c', 0],
      ['=d', 0],
    ]);
  });

  test('P5: the model and side questions read results in the order of the calls, warm and after a restart', async () => {
    const made = await stage(['a', 'b', 'c'], 3);
    const { conversation, store, end, results, running } = made;
    for (const [at, name] of ['c', 'a', 'b'].entries()) {
      end(name);
      await results(at + 1);
    }
    await running;
    expect(await answered(made)).toBe('cab');
    const { id } = conversation;
    const said = (view: Parameters<typeof eventsToMessages>[0]): readonly string[] =>
      eventsToMessages(view).flatMap(({ role, content }) => (role === 'tool' ? JSON.stringify(content) : []));
    const warm = said(await conversation.state.modelView());
    expect(warm.map((text) => /"text":"(.)"/.exec(text)?.[1])).toEqual(['a', 'b', 'c']);
    await conversation.close();
    const again = await open(store, { id, agent: new ScriptedAgent() });
    expect(said(await again.state.modelView())).toEqual(warm);
  });

  test('P5: side questions leave the whole batch out while one of its calls runs', async () => {
    let view: readonly string[] = [];
    const { conversation, agent, begun, end, results, running } = await stage(['a', 'b'], 2, {
      script: {
        think: ({ number, view: seen }) => {
          if (number === 0) view = seen.map(({ kind }) => kind);
          return number === 1 ? ['a', 'b'] : 'done';
        },
      },
    });
    await Promise.all([begun('a'), begun('b')]);
    end('b');
    await results(1);
    await conversation.askAgent('how far?');
    expect(view).toEqual(['SystemPromptEvent', 'MessageEvent']);
    end('a');
    await running;
    expect(agent.questions).toEqual(['how far?']);
  });

  test('P7: interrupt ends tools that ignore their signal, and says which may have run', async () => {
    const made = await stage(['a', 'b', 'c', 'd'], 3);
    const { conversation, begun, end, results, running } = made;
    await Promise.all(['a', 'b', 'c'].map(begun));
    end('b');
    await results(1);
    await begun('d');
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
    expect(await story(conversation, 6)).toBe('result error error error interrupt');
    expect(await answered(made)).toBe('bacd');
    end('a');
    end('c');
    end('d');
    expect((await conversation.run()).status).toBe('finished');
    expect(await story(conversation, 6)).toBe('result error error error interrupt agent');
  });

  test('P5: nothing starts any more when the run is interrupted while a result is stored', async () => {
    const { conversation, begun, end, running } = await stage(['a', 'b', 'c'], 2);
    await Promise.all([begun('a'), begun('b')]);
    const busy = gate();
    const held = conversation.state.transaction(() => busy.pass());
    await busy.reached;
    end('a');
    await new Promise(setImmediate);
    const interrupted = conversation.interrupt();
    busy.open();
    await Promise.all([held, interrupted]);
    expect((await running).status).toBe('paused');
    expect(await story(conversation, 5)).toBe('result error error interrupt');
    const commits = await Array.fromAsync(conversation.history.commits());
    const started = commits.flatMap(({ patch }) => Object.values(patch?.add?.calls ?? {}));
    expect(started.filter((phase) => phase === 'started')).toHaveLength(2);
  });

  test('an agent that says what it calls in two parts runs no more at the same time than it may', async () => {
    const made = await stage(['b'], 1, {
      script: {
        think: async ({ number, context }) => {
          if (number > 1) return 'done';
          await context.emit([toAction('a', 'first')]);
          return ['b'];
        },
      },
    });
    const { begun, end, running, names } = made;
    await begun('a');
    expect(Object.values(made.conversation.state.calls).toSorted()).toEqual(['allowed', 'started']);
    end('a');
    await begun('b');
    end('b');
    expect((await running).status).toBe('finished');
    expect(names).toEqual(['a', 'b']);
  });

  test('P10: a stricter policy takes back what has not started; what runs ends, and the rest waits', async () => {
    const { conversation, begun, end, results, running, names } = await stage(['a', 'b', 'c', 'd'], 2);
    await Promise.all([begun('a'), begun('b')]);
    await conversation.settings.setConfirmationPolicy(ALWAYS);
    end('b');
    await results(1);
    expect(conversation.state.executionStatus).toBe('running');
    end('a');
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(names).toEqual(['a', 'b']);
    expect(conversation.state.pendingActions.map(({ tool_name: tool }) => tool)).toEqual(['c', 'd']);
  });

  test('P10: a call approved while others run starts at once if there is room', async () => {
    const made = await stage(['a', 'b', 'c'], 2, { options: { confirmationPolicy: ALWAYS }, runs: false });
    const { conversation, begun, end, names } = made;
    await conversation.run();
    const { a = '', c = '' } = idsOf(made);
    await conversation.approve([a]);
    const running = conversation.run();
    await begun('a');
    await conversation.approve([c]);
    await begun('c');
    end('a');
    end('c');
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(names).toEqual(['a', 'c']);
  });

  test('P10: a call approved after the last call has ended belongs to the next run', async () => {
    const made = await stage(['a', 'b', 'c'], 2, { options: { confirmationPolicy: ALWAYS }, runs: false });
    const { conversation, store, begun, end, names } = made;
    await conversation.run();
    const { a = '', b = '', c = '' } = idsOf(made);
    await conversation.approve([a]);
    const running = conversation.run();
    await begun('a');
    const [storing, busy] = [gate(), gate()];
    store.onAppend = () => storing.pass();
    const rejected = conversation.reject([b]);
    await storing.reached;
    store.onAppend = undefined;
    const held = conversation.state.transaction(() => busy.pass());
    await busy.reached;
    end('a');
    await new Promise(setImmediate);
    const approved = conversation.approve([c]);
    // the rejection is durable while a still runs; behind the result of a and the approval it looks for calls to begin
    storing.open();
    await rejected;
    busy.open();
    await Promise.all([held, approved]);
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(names).toEqual(['a']);
    expect(conversation.state.calls).toEqual({ [c]: 'approved' });
    end('c');
    expect((await conversation.run()).status).toBe('finished');
  });

  test('a call rejected while others run has its result and never starts; the calls behind it start', async () => {
    const made = await stage(['a', 'b', 'c'], 3, {
      script: { resources: ({ tool_name: tool }) => ({ a: ['x'], b: ['x', 'y'], c: ['y'] })[tool] },
    });
    const { conversation, begun, end, running, names } = made;
    await begun('a');
    await conversation.reject([idsOf(made)['b'] ?? ''], 'not this');
    await begun('c');
    end('c');
    end('a');
    expect((await running).status).toBe('finished');
    expect(names).toEqual(['a', 'c']);
    expect(await answered(made)).toBe('bca');
  });

  test('a message while calls run rejects the waiting calls when the last running call has ended', async () => {
    const made = await stage(['a', 'b', 'c'], 2, { options: { confirmationPolicy: ALWAYS }, runs: false });
    const { conversation, begun, end, results } = made;
    await conversation.run();
    const { a = '', b = '' } = idsOf(made);
    await conversation.approve([a, b]);
    const running = conversation.run();
    await Promise.all([begun('a'), begun('b')]);
    await conversation.sendMessage('leave the rest');
    end('a');
    await results(1);
    expect(conversation.state.pendingActions).toHaveLength(2);
    end('b');
    expect((await running).status).toBe('finished');
    expect(await story(conversation, 5)).toBe('result result reject user agent');
    expect(await texts(conversation)).toContain('leave the rest');
  });

  test('money that is used up ends the run when the last call has ended', async () => {
    const { conversation, begun, end, results, running } = await stage(['a', 'b'], 2, {
      options: { maxBudgetPerRun: 1 },
    });
    await Promise.all([begun('a'), begun('b')]);
    await conversation.settings.setLimits({ maxBudgetPerRun: 0.001 });
    end('a');
    await results(1);
    expect(conversation.state.executionStatus).toBe('running');
    end('b');
    expect((await running).status).toBe('error');
    expect(await story(conversation, 4)).toBe('result result failure');
  });

  test('a call that fails gives one failed result; the others go on', async () => {
    const { conversation, running } = await stage(['a', 'b', 'c'], 3, {
      script: {
        call: (name) => {
          if (name === 'b') throw new Error('no');
          return name;
        },
      },
    });
    expect((await running).status).toBe('finished');
    expect((await story(conversation, 5)).split(' ').toSorted().join(' ')).toBe('agent error result result');
  });

  test('P5: when a result cannot be stored, the other calls are ended, and none of them runs again', async () => {
    const { conversation, store, agent, begun, end, running } = await stage(['a', 'b', 'c'], 2);
    await Promise.all([begun('a'), begun('b')]);
    let refused = false;
    store.onAppend = () => {
      if (refused) return;
      refused = true;
      throw new StoreError('UNAVAILABLE', 'once');
    };
    end('a');
    await expect(running).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await story(conversation, 5)).toBe('error error failure');
    expect(conversation.state.pendingActions.map(({ tool_name: tool }) => tool)).toEqual(['c']);
    end('b');
    end('c');
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(3);
  });
});

test('calls in any order respect their keys and the limit, and their results keep the order of the model', async () => {
  const lives = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    needs: fc.array(fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 2 }), { minLength: 1, maxLength: 8 }),
    ends: fc.infiniteStream(fc.nat()),
  });
  await fc.assert(
    fc.asyncProperty(lives, async ({ limit, needs, ends }) => {
      const tools = needs.map((_, at) => `call${at}`);
      const needsOf = (tool: string): readonly string[] => needs[tools.indexOf(tool)] ?? [];
      const script = { resources: ({ tool_name: tool }: ActionEvent) => needsOf(tool) };
      const made = await stage(tools, limit, { script });
      const { conversation, now, names, end, results, running } = made;
      for (let count = 1; count <= tools.length; count++) {
        // all that may begin has begun when nothing is left to be done
        while (now.size === 0) await new Promise(setImmediate);
        await new Promise(setImmediate);
        expect(now.size).toBeLessThanOrEqual(limit);
        const held = [...now].flatMap(needsOf);
        expect(new Set(held).size).toBe(held.length);
        end([...now][ends.next().value % now.size] ?? '');
        await results(count);
      }
      expect((await running).status).toBe('finished');
      expect(names.toSorted()).toEqual(tools.toSorted());
      expect((await conversation.events.slice()).filter(eventGuards.isObservationLike)).toHaveLength(tools.length);
      const read = eventsToMessages(await conversation.state.modelView()).filter(({ role }) => role === 'tool');
      expect(read.map(({ name }) => name)).toEqual(tools);
      await conversation.close();
    }),
    { numRuns: 60 },
  );
});
