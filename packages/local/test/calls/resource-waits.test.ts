import { describe, expect, test } from 'vitest';

import { ConversationState, type AgentSession } from '@conv/core';
import { drafts, eventGuards, isEvent, userMessage, type ActionEvent, type Event } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import { ManualPlatform } from '@conv/testing-harness';

import { CallBatch } from '../../src/calls/call-batch.ts';
import { ConversationHooks } from '../../src/safeguards/conversation-hooks.ts';
import { waitFor } from '../../src/rules/resource-keys.ts';
import { gate } from '../support/bench.ts';
import { toAction } from '../support/scripted-agent.ts';

interface Stage {
  readonly state: ConversationState;
  readonly clock: ManualPlatform;
  readonly running: Promise<void>;
  /** Resolves when a call of this tool has begun. */
  readonly begun: (name: string) => Promise<void>;
  readonly end: (name: string) => void;
  /** Resolves when the call of this tool has its result: with the error, if it is one. */
  readonly result: (name: string) => Promise<string | undefined>;
}

/** Calls that are allowed, by what they need, and a clock that the test moves. */
async function stage(needs: Readonly<Record<string, readonly string[]>>, signal?: AbortSignal): Promise<Stage> {
  const clock = new ManualPlatform();
  const state = new ConversationState({ platform: clock });
  const begins = new Map(Object.keys(needs).map((name) => [name, Promise.withResolvers<void>()]));
  const ends = new Map(Object.keys(needs).map((name) => [name, Promise.withResolvers<void>()]));
  await state.transaction(async (transaction) => {
    await transaction.append(userMessage('go'), ...Object.keys(needs).map((name) => toAction(name, 'r')));
    const calls = Object.fromEntries(transaction.pendingActions.map(({ id }) => [id, 'allowed'] as const));
    transaction.update({ set: { executionStatus: 'running' }, add: { calls } });
  });
  const session = {
    toolConcurrency: 9,
    resources: ({ tool_name: name }: ActionEvent) => needs[name],
    execute: async (event: ActionEvent) => {
      begins.get(event.tool_name)?.resolve();
      await ends.get(event.tool_name)?.promise;
      return drafts.observation(event, { kind: 'WorkObservation' } as never);
    },
  } as unknown as AgentSession;
  const hooks = new ConversationHooks(state, undefined, { conversationId: state.id, workingDirectory: '/' });
  const run = { state, hooks, settle: () => {}, signal: signal ?? new AbortController().signal };
  const running = new CallBatch(run, session).run();
  running.catch(() => {});
  return {
    state,
    clock,
    running,
    begun: async (name) => begins.get(name)?.promise,
    end: (name) => ends.get(name)?.resolve(),
    result: (name) =>
      new Promise((resolve) => {
        const onEvent = (event: Event): void => {
          if (!eventGuards.isObservationLike(event) || event.tool_name !== name) return;
          resolve(isEvent(event, 'AgentErrorEvent') ? event.error : undefined);
        };
        state.subscribe({ onEvent }, { from: toEventIndex(0) });
      }),
  };
}

describe('a call that waits for what another one holds', () => {
  test('a waiting call gives up when one call has held its key for too long, and says what it waited for', async () => {
    const { state, clock, running, begun, end, result } = await stage({ a: ['file:/x'], b: ['file:/x'] });
    await begun('a');
    clock.pass(29_999);
    expect(state.pendingActions).toHaveLength(2);
    clock.pass(1);
    expect(await result('b')).toBe(
      "This tool call did not run. It waited 30 seconds for 'file:/x', which a call of 'a' still uses. Try again when that call has ended.",
    );
    end('a');
    await running;
    expect(await result('a')).toBeUndefined();
    expect(state.pendingActions).toEqual([]);
    expect(clock.waits.length).toBe(0);
  });

  test('a call goes on waiting while the queue moves and another call holds the key', async () => {
    const { clock, running, begun, end, result } = await stage({ a: ['file:/x'], b: ['file:/x'], c: ['file:/x'] });
    for (const name of ['a', 'b', 'c']) {
      await begun(name);
      clock.pass(20_000);
      end(name);
    }
    await running;
    for (const name of ['a', 'b', 'c']) expect(await result(name)).toBeUndefined();
  });

  test('a call that gives up makes room for the calls that waited behind it', async () => {
    const { clock, running, begun, end, result } = await stage({ a: ['file:/x'], b: ['file:/x', 'y'], c: ['y'] });
    await begun('a');
    clock.pass(30_000);
    expect(await result('b')).toContain("'file:/x'");
    await begun('c');
    end('c');
    end('a');
    await running;
    expect(await result('c')).toBeUndefined();
  });

  test('a call that has begun does not give up', async () => {
    const { state, clock, running, begun, end, result } = await stage({ a: ['file:/x'], b: ['file:/x'] });
    await begun('a');
    const busy = gate();
    const held = state.transaction(() => busy.pass());
    await busy.reached;
    end('a');
    // the result of a is in the queue for the lock, and the time is up behind it
    await new Promise(setImmediate);
    clock.pass(30_000);
    busy.open();
    await held;
    await begun('b');
    end('b');
    await running;
    expect(await result('b')).toBeUndefined();
    expect(clock.waits.length).toBe(0);
  });

  test('a call stops waiting when the run is interrupted', async () => {
    const controller = new AbortController();
    const { state, clock, running, begun } = await stage({ a: ['x'], b: ['x'] }, controller.signal);
    await begun('a');
    expect(clock.waits.length).toBe(1);
    const { end } = state;
    controller.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    expect(clock.waits.length).toBe(0);
    expect(state.end).toEqual(end);
  });
});

test('files are waited for 30 seconds, anything else five minutes', () => {
  expect(['file:/a', 'terminal:1', 'tool:work', 'db'].map(waitFor)).toEqual([30_000, 300_000, 300_000, 300_000]);
});
