import { describe, expect, test } from 'vitest';

import { eventGuards, isEvent } from '@conv/core/events';

import { gate, story, texts } from '../support/bench.ts';
import { stage } from '../support/call-stage.ts';
import { FakeHooks } from '../support/fake-hooks.ts';

const ALWAYS = { kind: 'AlwaysConfirm' } as const;

describe('hooks of calls at the same time', () => {
  test('hooks are asked about each call before it starts while others run, and a blocked call makes room', async () => {
    const asked = gate();
    const hooks = new FakeHooks({
      PreToolUse: async ({ toolName }) => {
        if (toolName === 'b') await asked.pass();
        return { blocked: toolName === 'b' };
      },
    });
    const { conversation, begun, end, running, names } = await stage(['a', 'b', 'c'], 2, { options: { hooks } });
    await Promise.all([begun('a'), asked.reached]);
    expect(Object.values(conversation.state.calls).toSorted()).toEqual(['allowed', 'allowed', 'started']);
    asked.open();
    await begun('c');
    end('a');
    end('c');
    expect((await running).status).toBe('finished');
    expect(names).toEqual(['a', 'c']);
    expect((await story(conversation, 5)).split(' ').toSorted().join(' ')).toBe(
      'agent hook hook hook reject result result',
    );
  });

  test('hooks are asked once about each call, even when another call ends meanwhile', async () => {
    const asked = gate();
    const hooks = new FakeHooks({
      PreToolUse: async ({ toolName }) => {
        if (toolName === 'b') await asked.pass();
        return {};
      },
    });
    const { begun, end, results, running, names } = await stage(['a', 'b', 'c'], 2, { options: { hooks } });
    await Promise.all([begun('a'), asked.reached]);
    end('a');
    await results(1);
    await begun('c');
    asked.open();
    end('c');
    end('b');
    expect((await running).status).toBe('finished');
    expect(hooks.told.map(({ toolName }) => toolName)).toEqual(['a', 'b', 'c']);
    expect(names).toEqual(['a', 'c', 'b']);
  });

  test('P10: a call whose permission is withdrawn while hooks are asked does not start', async () => {
    const asked = gate();
    const hooks = new FakeHooks({
      PreToolUse: async ({ toolName }) => {
        if (toolName === 'b') await asked.pass();
        return {};
      },
    });
    const { conversation, begun, end, running, names } = await stage(['a', 'b'], 2, { options: { hooks } });
    await Promise.all([begun('a'), asked.reached]);
    await conversation.settings.setConfirmationPolicy(ALWAYS);
    asked.open();
    end('a');
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(names).toEqual(['a']);
  });

  test('a call keeps what it held until the hooks behind it were told', async () => {
    const told = gate();
    const hooks = new FakeHooks({
      PostToolUse: async ({ toolName }) => {
        if (toolName === 'a') await told.pass();
        return { additionalContext: `after ${toolName}` };
      },
    });
    const { conversation, begun, end, running, names } = await stage(['a', 'b', 'c'], 3, {
      options: { hooks },
      script: { resources: ({ tool_name: tool }) => (tool === 'c' ? [] : ['x']) },
    });
    await Promise.all([begun('a'), begun('c')]);
    end('a');
    await told.reached;
    expect(names).toEqual(['a', 'c']);
    told.open();
    await begun('b');
    end('b');
    end('c');
    expect((await running).status).toBe('finished');
    const said = (await texts(conversation)).filter((text) => text.startsWith('after'));
    expect(said.toSorted()).toEqual(['after a', 'after b', 'after c']);
    const calls = (await conversation.events.slice()).findLastIndex(eventGuards.isObservationLike);
    const first = (await conversation.events.slice()).findIndex(
      (event) => isEvent(event, 'MessageEvent') && event.source === 'environment',
    );
    expect(first).toBeGreaterThan(calls);
  });
});
