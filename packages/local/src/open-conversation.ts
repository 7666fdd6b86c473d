import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import {
  ConversationError,
  ConversationState,
  fromStoreError,
  parseConfirmationPolicy,
  type Agent,
  type AgentFactory,
  type Cipher,
  type JsonObject,
  type LocalWorkspaceDescription,
  type StateFields,
  type Subscriber,
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

import { LocalConversation } from './local-conversation.ts';
import { LocalWorkspace } from './local-workspace.ts';
import { recover } from './recover.ts';
import { checkMaxIterations, checkTags } from './settings.ts';

/** How a local conversation is opened or made. What is given overrides what is stored; defaults never do. */
export interface LocalConversationOptions {
  /** Needed for a new conversation; a stored one finds its own through `agents`. */
  readonly agent?: Agent;
  /** The folder that the agent works in. Default: the stored one, or `workspace/project`. */
  readonly workspace?: string | LocalWorkspaceDescription;
  /** A UUID. Default: a new one. */
  readonly id?: string;
  /** `never`: reject `NOT_FOUND` when it is not there; `must`: reject when it is. Default `ifMissing`. */
  readonly create?: 'never' | 'ifMissing' | 'must';
  /** Where conversations are kept. Default `workspace/conversations`. Not together with `store`. */
  readonly persistenceDir?: string;
  /** A store of the caller's, who closes it. */
  readonly store?: ConversationStore;
  /** Model responses per run. Default 500. */
  readonly maxIterations?: number;
  /** As the wire describes it. Default `{ kind: 'NeverConfirm' }`. */
  readonly confirmationPolicy?: JsonObject;
  readonly securityAnalyzer?: JsonObject | null;
  readonly tags?: Readonly<Record<string, string>>;
  readonly title?: string;
  readonly parentId?: string;
  /** Follow the conversation from its next event on. */
  readonly subscribers?: readonly Subscriber[];
  readonly visualizer?: VisualizerInput;
  /** Without one, keys are stored redacted. */
  readonly cipher?: Cipher;
  /** Milliseconds that the end of a run waits for subscribers. Default 1000. */
  readonly subscriberGrace?: number;
  readonly signal?: AbortSignal;
}

/** What the runtime adds to the options of each conversation. */
export interface LocalRuntimeOptions {
  /** Makes the store for a folder of conversations; closed with the conversation. */
  readonly storeAt: (persistenceDir: string) => ConversationStore;
  /** Finds the agents of stored conversations. */
  readonly agents?: AgentFactory;
}

const DEFAULT_PERSISTENCE_DIR = 'workspace/conversations';
const DEFAULT_WORKSPACE = 'workspace/project';

/** Opens or makes a local conversation. Resolves when it is owned, recovered and ready. Rejects {@link ConversationError}. */
export async function openLocalConversation(
  runtime: LocalRuntimeOptions,
  options: LocalConversationOptions,
): Promise<LocalConversation> {
  if (options.store && options.persistenceDir !== undefined) {
    throw new ConversationError('INVALID_INPUT', 'give either store or persistenceDir, not both');
  }
  const id = parseId(options.id);
  const directory = options.store ? undefined : resolve(options.persistenceDir ?? DEFAULT_PERSISTENCE_DIR);
  const folderOf = (conversation: string): string | null =>
    directory ? join(directory, toConversationKey(conversation)) : null;
  const store = options.store ?? runtime.storeAt(directory as string);
  let journal: Journal | undefined;
  try {
    journal = await openJournal(store, id, options);
    const state = await ConversationState.open(journal, initialState(id, folderOf(id), options));
    if (state.id !== id) throw new ConversationError('ID_MISMATCH', `asked for ${id}, stored is ${state.id}`);
    const agent = await chooseAgent(state, options, runtime);
    await applyOptions(state, agent, folderOf(id), options);
    await recover(state);
    return assemble({ state, agent, store, folderOf, options });
  } catch (error) {
    await journal?.close();
    if (!options.store) await store.close();
    throw fromStoreError(error, id);
  }
}

interface Assembly {
  readonly state: ConversationState;
  readonly agent: Agent;
  readonly store: ConversationStore;
  readonly folderOf: (id: string) => string | null;
  readonly options: LocalConversationOptions;
}

function assemble({ state, agent, store, folderOf, options }: Assembly): LocalConversation {
  const folder = folderOf(state.id);
  const conversation = new LocalConversation({
    state,
    agent,
    store,
    ownsStore: options.store === undefined,
    folderOf,
    toolSession: {
      conversationId: state.id,
      workingDirectory: new LocalWorkspace(state.workspace.workingDir).workingDir,
      ...(folder === null ? {} : { sideDirectory: join(folder, 'observations') }),
    },
    visualizer: toVisualizer(options.visualizer),
    subscriberGrace: options.subscriberGrace ?? 1000,
  });
  for (const subscriber of options.subscribers ?? []) conversation.subscribe(subscriber);
  return conversation;
}

async function openJournal(store: ConversationStore, id: string, options: LocalConversationOptions): Promise<Journal> {
  const owner = `pid ${process.pid} on ${hostname()}`;
  const signal = options.signal ? { signal: options.signal } : {};
  if (options.agent) return store.open(id, { create: options.create ?? 'ifMissing', owner, ...signal });
  try {
    return await store.open(id, { create: 'never', owner, ...signal });
  } catch (error) {
    if (options.create === 'never' || !isStoreError(error, 'NOT_FOUND')) throw error;
    throw new ConversationError('AGENT_REQUIRED', `conversation ${id} is new, and a new one needs an agent`, {
      cause: error,
    });
  }
}

function initialState(id: string, folder: string | null, options: LocalConversationOptions): Partial<StateFields> {
  return {
    id,
    persistenceDir: folder,
    createdAt: new Date().toISOString(),
    workspace: {
      kind: 'LocalWorkspace',
      workingDir: new LocalWorkspace(folderOfWorkspace(options) ?? DEFAULT_WORKSPACE).workingDir,
    },
    parentId: options.parentId ?? null,
    ...givenFields(options),
    ...(options.agent ? { agent: describe(options.agent, options.cipher) } : {}),
  };
}

/** The fields that the caller named. Throws `INVALID_INPUT`. */
function givenFields(options: LocalConversationOptions): Partial<StateFields> {
  const { maxIterations, confirmationPolicy, securityAnalyzer, tags, title } = options;
  return {
    ...(maxIterations === undefined ? {} : { maxIterations: checkMaxIterations(maxIterations) }),
    ...(confirmationPolicy === undefined
      ? {}
      : { confirmationPolicy: { ...parseConfirmationPolicy(confirmationPolicy) } }),
    ...(securityAnalyzer === undefined ? {} : { securityAnalyzer }),
    ...(tags === undefined ? {} : { tags: checkTags(tags) }),
    ...(title === undefined ? {} : { title }),
  };
}

/** Commits what the options change on a stored conversation, if anything. */
async function applyOptions(
  state: ConversationState,
  agent: Agent,
  folder: string | null,
  options: LocalConversationOptions,
): Promise<void> {
  const workspace = folderOfWorkspace(options);
  const wanted: Partial<StateFields> = {
    ...givenFields(options),
    ...(workspace === undefined
      ? {}
      : { workspace: { ...state.workspace, workingDir: new LocalWorkspace(workspace).workingDir } }),
    ...(folder === null ? {} : { persistenceDir: folder }),
    ...(options.agent ? { agent: describe(agent, options.cipher) } : {}),
  };
  const changed = Object.entries(wanted).filter(
    ([key, value]) => !isDeepStrictEqual(state.fields[key as keyof StateFields], value),
  );
  if (changed.length > 0) await state.update({ set: Object.fromEntries(changed) });
}

async function chooseAgent(
  state: ConversationState,
  options: LocalConversationOptions,
  { agents }: LocalRuntimeOptions,
): Promise<Agent> {
  if (!options.agent) {
    const revived = await agents?.revive(state.agent, options.cipher ? { cipher: options.cipher } : {});
    if (revived) return revived;
    throw new ConversationError(
      'AGENT_REQUIRED',
      `the agent of conversation ${state.id} cannot be built here; give one`,
    );
  }
  checkSameAgent(state.agent, describe(options.agent, options.cipher));
  return options.agent;
}

/** The rules of resuming (disk.md §9.1): the same kind of agent, and no tool that the stored one had is missing. */
function checkSameAgent(stored: JsonObject, given: JsonObject): void {
  if (typeof stored['kind'] === 'string' && stored['kind'] !== given['kind']) {
    throw new ConversationError(
      'AGENT_MISMATCH',
      `the stored agent is of kind ${stored['kind']}, the given one of ${JSON.stringify(given['kind'])}`,
    );
  }
  const offered = new Set(toolNames(given));
  const removed = toolNames(stored).filter((name) => !offered.has(name));
  if (removed.length > 0)
    throw new ConversationError(
      'TOOLS_REMOVED',
      `the stored agent had tools that the given one lacks: ${removed.join(', ')}`,
    );
}

function toolNames(description: JsonObject): readonly string[] {
  const tools = Array.isArray(description['tools']) ? (description['tools'] as readonly JsonObject[]) : [];
  const defaults = Array.isArray(description['include_default_tools'])
    ? (description['include_default_tools'] as readonly string[])
    : [];
  return [
    ...tools.map(({ name }) => (typeof name === 'string' ? name : JSON.stringify(name))),
    ...defaults.map(String),
  ];
}

function describe(agent: Agent, cipher: Cipher | undefined): JsonObject {
  return agent.describe(cipher ? { secrets: 'encrypted', cipher } : { secrets: 'redacted' });
}

function folderOfWorkspace({ workspace }: LocalConversationOptions): string | undefined {
  return typeof workspace === 'object' ? workspace.workingDir : workspace;
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
