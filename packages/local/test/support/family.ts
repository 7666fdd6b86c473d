import { projections, type Agent, type StateFields } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { ChildConversations, ChildResult, ChildTask, ToolSession } from '@conv/core/tool';
import { FaultyStore } from '@conv/testing-harness';

import type { LocalConversation, LocalConversationOptions, LocalRuntimeOptions } from '../../src/index.ts';
import { open } from './bench.ts';
import { ScriptedAgent, type Script } from './scripted-agent.ts';

/** Tasks of the children: a task for each call of the parent, in the order in which the calls begin. */
export type Tasks = readonly (ChildTask | ((signal: AbortSignal) => ChildTask | Promise<ChildTask>))[];

/** A conversation whose one response calls a tool for each task, and is done then. */
export interface Family {
  readonly parent: LocalConversation;
  readonly store: ConversationStore;
  readonly agent: ScriptedAgent;
  /** The results of the calls, in the order in which the calls ended. */
  readonly results: (ChildResult | Error)[];
  /** The port of the parent, once its tools are made. */
  readonly children: () => ChildConversations;
  readonly go: () => Promise<{ readonly status: string }>;
}

/** Options of a family: its tasks and its rules. */
export interface FamilyOptions {
  readonly tasks: Tasks;
  readonly script?: Script;
  readonly options?: LocalConversationOptions;
  readonly runtime?: Partial<LocalRuntimeOptions>;
  /** Default: one of its own. */
  readonly store?: ConversationStore;
}

/** A call of the test's own. */
export const CALL: { readonly signal: AbortSignal; readonly toolCallId: string } = {
  signal: new AbortController().signal,
  toolCallId: 'call',
};

/** Makes the agent of a child. */
export function helper(script: Script = {}): ScriptedAgent {
  return new ScriptedAgent(script);
}

/** Opens the parent. */
export async function family({ tasks, script, options, runtime, ...rest }: FamilyOptions): Promise<Family> {
  const { store = new FaultyStore() } = rest;
  const results: (ChildResult | Error)[] = [];
  let session: ToolSession | undefined;
  const { think, ...others } = delegating(tasks, results, () => session);
  const agent = new ScriptedAgent({ think, ...others, onStart: (made) => void (session = made), ...script });
  const parent = await open(store, { agent, ...options }, runtime);
  return {
    parent,
    store,
    agent,
    results,
    children: () => childrenOf(session),
    go: async () => {
      await parent.sendMessage('go');
      return parent.run();
    },
  };
}

/** An agent whose tools have children do these tasks. */
export function delegatingAgent(tasks: Tasks, results: (ChildResult | Error)[] = [], script: Script = {}): Agent {
  let session: ToolSession | undefined;
  return new ScriptedAgent({
    ...delegating(tasks, results, () => session),
    onStart: (made) => void (session = made),
    ...script,
  });
}

function delegating(
  tasks: Tasks,
  results: (ChildResult | Error)[],
  session: () => ToolSession | undefined,
): Pick<Script, 'think' | 'call' | 'concurrency' | 'resources'> & { readonly think: NonNullable<Script['think']> } {
  let next = 0;
  return {
    think: ({ number }) => (number === 1 ? tasks.map(() => 'work') : 'done'),
    concurrency: Math.max(1, tasks.length),
    resources: () => [],
    call: async (_, signal, event) => {
      const task = tasks[next++];
      try {
        const result = await childrenOf(session()).run(
          typeof task === 'function' ? await task(signal) : (task as ChildTask),
          { signal, toolCallId: event.tool_call_id },
        );
        results.push(result);
        return result.status === 'finished' ? result.answer : `${result.status}: ${result.error ?? ''}`;
      } catch (error) {
        results.push(error as Error);
        throw error;
      }
    },
  };
}

function childrenOf(session: ToolSession | undefined): ChildConversations {
  if (!session?.children) throw new Error('the tools are not made yet');
  return session.children;
}

/** Returns the stored fields of a conversation. */
export async function stored(store: ConversationStore, id: string): Promise<StateFields> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`the store does not have ${id}`);
  return (await projections.readState(reader)).fields;
}

/** The conversations of a store that belong to others. */
export async function childIds(store: ConversationStore): Promise<readonly string[]> {
  const { items } = await store.list({ limit: 100 });
  return items.filter(({ parentId }) => parentId !== null).map(({ id }) => id);
}

/** A task for this agent. */
export function task(agent: ChildTask['agent'], more: Partial<ChildTask> = {}): ChildTask {
  return { prompt: 'help', ...(agent ? { agent } : {}), ...more };
}

/** The result, when it is one. */
export function ok(result: ChildResult | Error | undefined): ChildResult {
  if (result === undefined || result instanceof Error) throw result ?? new Error('no result');
  return result;
}
