import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import {
  ConversationError,
  ConversationState,
  fromStoreError,
  type Agent,
  type AgentFactory,
  type StateFields,
  type Visualizer,
  type VisualizerInput,
} from '@conv/core';
import {
  isStoreError,
  toConversationId,
  toConversationKey,
  type ConversationStore,
  type Journal,
} from '@conv/core/store';

import { chooseAgent } from './choose-agent.ts';
import { defaultFolder, givenFields, givenFolder, type LocalConversationOptions } from './conversation-options.ts';
import { LocalConversation } from './local-conversation.ts';
import { LocalWorkspace } from './local-workspace.ts';
import { bringToRest } from './recover.ts';
import { invalid } from './settings.ts';

/** What the runtime adds to the options of each conversation. */
export interface LocalRuntimeOptions {
  /** Makes the store for a folder of conversations; closed with the conversation. */
  readonly storeAt: (persistenceDir: string) => ConversationStore;
  /** Finds the agents of stored conversations. */
  readonly agents?: AgentFactory;
}

const DEFAULT_PERSISTENCE_DIR = 'workspace/conversations';

/**
 * Opens or makes a local conversation. Resolves when it is owned, recovered and ready (P4, P5); the tools are made later.
 * Rejects `INVALID_INPUT` before anything is touched; `NOT_FOUND`, `EXISTS`, `OWNED`, `AGENT_REQUIRED`, `AGENT_MISMATCH`,
 * `TOOLS_REMOVED`, `ID_MISMATCH`, `STORE_FAILED`, or `signal.reason`; ownership is then given up again.
 */
export async function openLocalConversation(
  runtime: LocalRuntimeOptions,
  options: LocalConversationOptions,
): Promise<LocalConversation> {
  const plan = toPlan(options);
  const store = options.store ?? runtime.storeAt(plan.directory);
  let journal: Journal | undefined;
  try {
    journal = await openJournal(store, plan.id, options);
    const state = await ConversationState.open(journal, plan.initial);
    if (state.id !== plan.id && state.id !== '')
      throw new ConversationError('ID_MISMATCH', `asked for ${plan.id}, stored is ${state.id}`);
    const agent = await chooseAgent(state, options, runtime.agents);
    await applyOptions(state, plan);
    await state.transaction(bringToRest);
    return assemble(state, { agent, store, plan, options });
  } catch (error) {
    await Promise.allSettled([journal?.close()]);
    if (!options.store) await Promise.allSettled([store.close()]);
    throw fromStoreError(error, plan.id);
  }
}

/** What the options come to, checked before anything is touched. */
interface Plan {
  readonly id: string;
  /** Where conversations are kept when no store was given. */
  readonly directory: string;
  readonly folderOf: (id: string) => string | null;
  readonly given: Partial<StateFields>;
  readonly workingDir: string | undefined;
  /** The fields of a new conversation. */
  readonly initial: Partial<StateFields>;
}

function toPlan(options: LocalConversationOptions): Plan {
  if (options.store && options.persistenceDir !== undefined)
    throw invalid('give either store or persistenceDir, not both');
  const id = parseId(options.id);
  const directory = resolve(options.persistenceDir ?? DEFAULT_PERSISTENCE_DIR);
  const folderOf = (conversation: string): string | null =>
    options.store ? null : join(directory, toConversationKey(conversation));
  const given = givenFields(options);
  const workingDir = givenFolder(options);
  const initial: Partial<StateFields> = {
    id,
    persistenceDir: folderOf(id),
    createdAt: new Date().toISOString(),
    workspace: { kind: 'LocalWorkspace', workingDir: workingDir ?? defaultFolder() },
    parentId: options.parentId === undefined ? null : parseId(options.parentId),
    ...given,
  };
  return { id, directory, folderOf, given, workingDir, initial };
}

async function openJournal(store: ConversationStore, id: string, options: LocalConversationOptions): Promise<Journal> {
  const owner = `pid ${process.pid} on ${hostname()}`;
  const signal = options.signal ? { signal: options.signal } : {};
  if (options.agent) return store.open(id, { create: options.create ?? 'ifMissing', owner, ...signal });
  if (options.create === 'must') throw agentRequired(id);
  try {
    return await store.open(id, { create: 'never', owner, ...signal });
  } catch (error) {
    if (options.create === 'never' || !isStoreError(error, 'NOT_FOUND')) throw error;
    throw agentRequired(id, error);
  }
}

/** Commits what the options change on a stored conversation, if anything. */
async function applyOptions(
  state: ConversationState,
  { id, given, workingDir, folderOf, initial }: Plan,
): Promise<void> {
  const folder = folderOf(id);
  // damage took the first commit: what it said of the conversation itself is said again
  const lost = state.id === '' ? initial : {};
  const wanted: Partial<StateFields> = {
    ...lost,
    ...given,
    ...(workingDir === undefined ? {} : { workspace: { ...state.workspace, workingDir } }),
    ...(folder === null ? {} : { persistenceDir: folder }),
  };
  const changed = Object.entries(wanted).filter(
    ([key, value]) => !isDeepStrictEqual(state.fields[key as keyof StateFields], value),
  );
  if (changed.length > 0) await state.update({ set: Object.fromEntries(changed) });
}

interface Assembly {
  readonly agent: Agent;
  readonly store: ConversationStore;
  readonly plan: Plan;
  readonly options: LocalConversationOptions;
}

function assemble(state: ConversationState, { agent, store, plan, options }: Assembly): LocalConversation {
  const folder = plan.folderOf(state.id);
  const conversation = new LocalConversation({
    state,
    agent,
    store,
    ownsStore: options.store === undefined,
    folderOf: plan.folderOf,
    toolSession: {
      conversationId: state.id,
      workingDirectory: new LocalWorkspace(state.workspace.workingDir).workingDir,
      ...(folder === null ? {} : { sideDirectory: join(folder, 'observations') }),
      taskList: () => state.taskList,
    },
    visualizer: toVisualizer(options.visualizer),
    subscriberGrace: options.subscriberGrace ?? 1000,
  });
  for (const subscriber of options.subscribers ?? []) conversation.subscribe(subscriber);
  return conversation;
}

function toVisualizer(input: VisualizerInput | undefined): Visualizer | undefined {
  if (input === undefined || input === null) return undefined;
  return typeof input === 'function' ? new input() : input;
}

function parseId(id: string | undefined): string {
  try {
    return toConversationId(id ?? randomUUID());
  } catch (error) {
    throw fromStoreError(error);
  }
}

function agentRequired(id: string, cause?: unknown): ConversationError {
  return new ConversationError('AGENT_REQUIRED', `conversation ${id} is new, and a new one needs an agent`, { cause });
}
