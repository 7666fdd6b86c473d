import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { isEvent } from '@conv/core/events';
import type { Tool, ToolContext } from '@conv/core/tool';
import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversation, LocalConversationOptions } from '../../src/index.ts';
import { never, open } from '../support/bench.ts';
import { plainTool } from '../support/plain-tool.ts';

const WORK = { calls: [{ name: 'work', arguments: {} }] };
const DONE = { text: 'done' };

/** Keeps a handle, says so, and never ends. */
function started(): { readonly tool: Tool; readonly kept: Promise<void> } {
  const { promise: kept, resolve } = Promise.withResolvers<void>();
  const tool = plainTool('work', async ({ handles, toolCallId }) => {
    await handles?.keep(toolCallId, { task: 7 });
    resolve();
    return never();
  });
  return { tool, kept };
}

/** Returns the handle that the call has. */
const handed = plainTool('work', async ({ handles, toolCallId }) => JSON.stringify(handles?.get(toolCallId) ?? null));

function made(
  store: KillableStore,
  turns: readonly ModelTurn[],
  tool: Tool,
  options: LocalConversationOptions = {},
): Promise<LocalConversation> {
  const agent = new ScriptedAgent({ script: new ModelScript(turns), tools: [tool] });
  return open(store, { agent, ...options });
}

/** A conversation whose process ended when a call had kept its handle. */
async function orphan(): Promise<{ readonly store: KillableStore; readonly id: string }> {
  const store = new KillableStore();
  const { tool, kept } = started();
  const conversation = await made(store, [WORK], tool);
  await conversation.sendMessage('go');
  conversation.run().catch(() => {});
  await kept;
  await store.kill();
  return { store, id: conversation.id };
}

async function results(conversation: LocalConversation): Promise<string> {
  return JSON.stringify((await conversation.events.slice()).filter((event) => isEvent(event, 'ObservationEvent')));
}

describe('P5: a call that kept a handle', () => {
  test('P5: the call is executed again with its handle after the end of the process', async () => {
    const { store, id } = await orphan();
    const conversation = await made(store, [DONE], handed, { id, interruptedRun: 'resume' });
    expect(Object.values(conversation.state.calls)).toEqual(['started']);
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(await results(conversation)).toContain('{\\"task\\":7}');
  });

  test('P5: the call stays open where the run is paused, and the next run executes it again', async () => {
    const { store, id } = await orphan();
    const conversation = await made(store, [DONE], handed, { id });
    expect(conversation.state.executionStatus).toBe('paused');
    expect((await conversation.run()).status).toBe('finished');
    expect(await results(conversation)).toContain('{\\"task\\":7}');
  });

  test('P5: the handle is gone when HEAD goes back to before the result of its call', async () => {
    const tool = plainTool('work', async ({ handles, toolCallId }) => {
      const before = handles?.get(toolCallId) ?? null;
      await handles?.keep(toolCallId, { task: 7 });
      return JSON.stringify(before);
    });
    const conversation = await made(new KillableStore(), [WORK, DONE, DONE], tool);
    await conversation.sendMessage('go');
    await conversation.run();
    const action = (await conversation.events.slice()).find((event) => isEvent(event, 'ActionEvent'));
    await conversation.history.navigateTo(action?.id ?? null);
    expect((await conversation.run()).status).toBe('finished');
    const seen = await results(conversation);
    expect(seen).toContain('null');
    expect(seen).not.toContain('task');
  });

  test('P5: a later call to which the model gave the same id does not get the handle', async () => {
    const tool = plainTool('work', async ({ handles, toolCallId }) => {
      const before = handles?.get(toolCallId) ?? null;
      await handles?.keep(toolCallId, { task: 7 });
      return JSON.stringify(before);
    });
    const agent = new ScriptedAgent({
      script: new ModelScript([WORK, WORK, DONE]),
      tools: [tool],
      platform: { id: () => 'call' },
    });
    const conversation = await open(new KillableStore(), { agent });
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('finished');
    expect(await results(conversation)).not.toContain('task');
  });

  test('P5: the call has an unknown outcome in a fork, which does not have the work', async () => {
    const { store, id } = await orphan();
    const conversation = await made(store, [DONE], handed, { id });
    const fork = await conversation.fork();
    await fork.run();
    expect(JSON.stringify(await fork.events.slice())).toContain('outcome is unknown');
  });

  test('P5: an interrupted call with a handle has an unknown outcome, and its handle is gone', async () => {
    const store = new KillableStore();
    const { promise, resolve } = Promise.withResolvers<ToolContext>();
    const tool = plainTool('work', async (context) => {
      await context.handles?.keep(context.toolCallId, { task: 7 });
      resolve(context);
      return never();
    });
    const conversation = await made(store, [WORK], tool);
    await conversation.sendMessage('go');
    conversation.run().catch(() => {});
    const { handles, toolCallId } = await promise;
    expect(handles?.get(toolCallId)).toEqual({ task: 7 });
    await conversation.interrupt();
    expect(JSON.stringify(await conversation.events.slice())).toContain('outcome is unknown');
    expect(handles?.get(toolCallId)).toBeUndefined();
  });
});
