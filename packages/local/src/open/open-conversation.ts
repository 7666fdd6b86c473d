import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  ConversationError,
  type ConversationState,
  fromStoreError,
  type Agent,
  type AgentFactory,
  type Hooks,
  type ProtectedPlaces,
  type SecretVault,
  type SecretVaultFactory,
  type StateFields,
  type StuckDetector,
  type Visualizer,
  type StoredAnalyzer,
  type SecurityAnalyzer,
  type StoredHooks,
} from '@conv/core';
import { isStoreError, type ConversationStore, type Journal } from '@conv/core/store';

import { checkAnalyzer } from '../options/check-settings.ts';
import { recoverCosts } from '../children/child-costs.ts';
import type { ChildHost, OpenChild } from '../children/child-host.ts';
import { chooseAgent } from './choose-agent.ts';
import { keepHandle, openHandle } from '../rules/call-handles.ts';
import { chooseHooks, storedHooks } from './choose-hooks.ts';
import { ClientCalls } from '../calls/client-calls.ts';
import { questionsOfTools } from '../calls/questions-of-tools.ts';
import { lendContextSecrets, fillVault, makeVault, warnOfMissing } from './vault.ts';
import { answeredByCaller, joinClientTools } from '../options/client-tools.ts';
import type { LocalConversationOptions } from '../options/conversation-options.ts';
import { pickSecrets } from '../safeguards/conversation-secrets.ts';
import { startRisks } from '../safeguards/safeguards.ts';
import { interruptGoal } from '../rules/goal-state.ts';
import { checkReleases } from '../options/check-options.ts';
import { LocalConversation } from './local-conversation.ts';
import { LocalWorkspace } from '../options/local-workspace.ts';
import { subAgentsIn } from '../options/sub-agents.ts';
import { notThere, openJournal, openState, storeFrom, usedAgain } from './open-state.ts';
import { storedWorkspace, toPlan, withHost, withParent, type OpenPlan } from './open-plan.ts';
import { recoverConversation, forgetGone, isResumable, recoverRun, treatmentOf } from '../rules/recover.ts';
import { isStoredAgent, keysIn, changedFields, renewedFields, type EncryptedFields } from './encrypted-fields.ts';

/** Options of the runtime for all its conversations. */
export interface LocalRuntimeOptions {
  /** Makes a new store for a folder of conversations, which its conversation closes. A store to share is an option of each conversation. */
  readonly storeAt: (persistenceDir: string) => ConversationStore;
  /** Finds the agents of stored conversations. */
  readonly agents?: AgentFactory;
  /** Makes the vault of each conversation. Without it nothing is masked, and there are no secrets. */
  readonly secrets?: SecretVaultFactory;
  /** Detects loops; without a detector none are found. */
  readonly stuckDetector?: StuckDetector;
  /** Finds the analyzers of stored conversations. Default: only `LLMSecurityAnalyzer` is known. */
  readonly analyzers?: (description: StoredAnalyzer) => SecurityAnalyzer | undefined;
  /** Builds stored hooks again. */
  readonly hooks?: (config: StoredHooks) => Hooks | undefined;
  /** Names the places of the program that runs the agents; analyzers get them before each action. Default: nothing. */
  readonly protect?: () => ProtectedPlaces;
}

/**
 * Opens or creates a local conversation. Resolves when it is owned, recovered and ready (P4, P5); the tools are made later. A
 * stored conversation opens even if its agent or hooks cannot be built here. It can be read, forked, decided on and given another
 * model or policy; actions that need them reject `AGENT_REQUIRED` or `HOOKS_MISSING` with the reason.
 *
 * Rejects `INVALID_INPUT` before anything is touched; `NOT_FOUND`, `EXISTS`, `OWNED`, `AGENT_MISMATCH`, `TOOLS_REMOVED`,
 * `ID_MISMATCH`, `UNSUPPORTED`, `STORE_FAILED`, or `signal.reason`. A new conversation also rejects `AGENT_REQUIRED` and
 * `HOOKS_MISSING`. Ownership is given up when it rejects.
 */
export async function openLocalConversation(
  runtime: LocalRuntimeOptions,
  options: LocalConversationOptions,
): Promise<LocalConversation> {
  return openFor(undefined, runtime, options);
}

/** Opens a conversation, or a child for its `host`. */
async function openFor(
  host: ChildHost | undefined,
  runtime: LocalRuntimeOptions,
  options: LocalConversationOptions,
): Promise<LocalConversation> {
  const checked = toPlan(options, host);
  const vault = makeVault(runtime.secrets, options);
  const store = options.store ?? storeFrom(runtime.storeAt, checked.directory);
  let journal: Journal | undefined;
  let state: ConversationState | undefined;
  try {
    const inherited = await withParent(store, checked);
    const isGiven = inherited.given.hookConfig !== undefined;
    const newHooks = chooseHooks(inherited.given.hookConfig ?? null, options.hooks, runtime.hooks);
    journal = await openJournal(store, inherited.id, options);
    const isStored = journal.end.seq > 0;
    state = await openState(journal, inherited, options, vault);
    if (isStored) checkReleases(state.fields, options);
    if (state.workspace['executor'] === true && inherited.workingDir === undefined) throw withoutExecutor(state);
    const encrypted = renewedFields(state.fields, options.cipher);
    if (vault && isStored) fillVault(vault, encrypted, options);
    const plan = host && isStored ? withHost(inherited, state.fields, host) : inherited;
    const stored = { id: inherited.id, agent: state.agent, damage: state.damage };
    const agent = await chooseAgent(stored, options, runtime.agents, host !== undefined);
    lendContextSecrets(vault, agent, state.id);
    const keys = agent.secretValues?.() ?? [];
    vault?.hide(keys);
    vault?.hide(
      keysIn(state.agent, options.cipher).filter((key) => !keys.includes(key)),
      { keep: true },
    );
    const { hookConfig = state.hookConfig } = plan.given;
    const hooks = plan === inherited && isGiven ? newHooks : storedHooks(hookConfig, options.hooks, runtime.hooks);
    const clientTools = joinClientTools(state, plan.given.clientTools, agent);
    await applyOptions(state, { ...plan, given: { ...plan.given, ...clientTools } }, options, vault, encrypted);
    const raters = { analyzers: runtime.analyzers, protect: runtime.protect, ownAnalyzer: ownAnalyzer(options) };
    const risks = startRisks(state, raters, state.workspace.workingDir);
    await state.transaction(async (transaction) => {
      interruptGoal(transaction);
      await (isResumable(transaction.state, options) ? recoverRun : recoverConversation)(transaction, risks);
    });
    await forgetGone(state);
    await recoverCosts(state, store);
    return assemble(state, { agent, store, plan, options, runtime, hooks, vault, host, resumed: isStored });
  } catch (error) {
    await Promise.allSettled([journal?.close()]);
    if (!options.store) await Promise.allSettled([store.close()]);
    const typed = isStoreError(error, 'NOT_FOUND')
      ? notThere(checked, options, error)
      : fromStoreError(options.store || !isStoreError(error, 'CLOSED') ? error : usedAgain(error), checked.id);
    throw state?.mask.error(typed) ?? typed;
  }
}

/** Returns the function that opens children: with the vault, the analyzers, the hooks and the executor of their parent. */
function childOpener(
  runtime: LocalRuntimeOptions,
  elsewhere: Pick<LocalConversationOptions, 'workspace' | 'approvalTimeout'>,
): OpenChild {
  return async ({ options, host, hooks: config }) => {
    const { vault } = host;
    const forChild: LocalRuntimeOptions = {
      ...runtime,
      analyzers: (description) => host.analyzer(description) ?? runtime.analyzers?.(description),
      hooks: (wanted) => host.hooks(wanted) ?? runtime.hooks?.(wanted),
      ...(vault ? { secrets: () => vault } : {}),
    };
    const hooks = config === undefined ? undefined : chooseHooks(config, undefined, runtime.hooks);
    return openFor(host, forChild, { ...options, ...elsewhere, ...(hooks ? { hooks } : {}) });
  };
}

function ownAnalyzer({ securityAnalyzer }: LocalConversationOptions): SecurityAnalyzer | undefined {
  return checkAnalyzer(securityAnalyzer ?? null).own;
}

/** Commits the changes of an opening to a stored conversation, if any. `encrypted`: its fields with ciphertext of the newest key. */
async function applyOptions(
  state: ConversationState,
  { id, given, workingDir, executor, folderOf, initial }: OpenPlan,
  { agent, cipher, secrets }: LocalConversationOptions,
  vault: SecretVault | undefined,
  encrypted: EncryptedFields,
): Promise<void> {
  const folder = folderOf(id);
  const { executor: _, ...others } = state.workspace;
  // damage took the first commit, so its fields are stored again
  const lost = state.id === '' ? initial : {};
  const wanted: Partial<StateFields> = {
    ...changedFields(encrypted, state.fields),
    ...lost,
    ...given,
    ...(agent && isStoredAgent(state.agent, agent, cipher) ? { agent: encrypted.agent } : {}),
    ...(vault && secrets ? pickSecrets(vault.stored) : {}),
    ...(vault && vault.stored.hiddenValues.length > state.hiddenValues.length
      ? { hiddenValues: vault.stored.hiddenValues }
      : {}),
    ...(workingDir === undefined ? {} : { workspace: { ...others, ...storedWorkspace(workingDir, executor) } }),
    ...(folder === null ? {} : { persistenceDir: folder }),
  };
  const { set: masked = {} } = state.mask.patch({ set: wanted });
  const changed = Object.entries(masked).filter(
    ([key, value]) => !isDeepStrictEqual(state.fields[key as keyof StateFields], value),
  );
  if (changed.length > 0) await state.update({ set: Object.fromEntries(changed) });
}

interface Assembly {
  readonly agent: Agent;
  readonly store: ConversationStore;
  readonly plan: OpenPlan;
  readonly options: LocalConversationOptions;
  readonly runtime: LocalRuntimeOptions;
  readonly hooks: Hooks | undefined;
  readonly vault: SecretVault | undefined;
  readonly host: ChildHost | undefined;
  /** True if the conversation was stored before. */
  readonly resumed: boolean;
}

function assemble(state: ConversationState, parts: Assembly): LocalConversation {
  const { agent, store, plan, options, runtime, hooks, vault, host, resumed } = parts;
  const folder = plan.folderOf(state.id);
  const { workingDir } = state.workspace;
  // not the plan itself, whose fields the functions below would keep in memory
  const { executor, directory } = plan;
  const { approvalTimeout } = options;
  const elsewhere = {
    ...(executor ? ({ workspace: { kind: 'LocalWorkspace', workingDir, executor } } as const) : {}),
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
  };
  const clientCalls = new ClientCalls(state, answeredByCaller(options.clientTools));
  const conversation = new LocalConversation({
    state,
    resumed,
    agent,
    cipher: options.cipher,
    store,
    ownsStore: options.store === undefined,
    folderOf: plan.folderOf,
    owner: options.owner,
    interruptedRun: treatmentOf(state.fields, options),
    toolSession: {
      conversationId: state.id,
      workingDirectory: executor ? workingDir : new LocalWorkspace(workingDir).workingDir,
      ...(executor ? { executor } : {}),
      ...(folder === null ? {} : { sideDirectory: join(folder, 'observations') }),
      taskList: () => state.taskList,
      ...questionsOfTools(state),
      ownTools: clientCalls.tools,
      subAgents: subAgentsIn(state.fields.extra.meta),
      handles: {
        get: (toolCallId) => openHandle(state, toolCallId),
        keep: (toolCallId, handle) => state.transaction((transaction) => keepHandle(transaction, toolCallId, handle)),
      },
    },
    clientCalls,
    analyzers: runtime.analyzers,
    protect: runtime.protect,
    ownAnalyzer: ownAnalyzer(options),
    vault,
    givenSecrets: options.secrets,
    hooks,
    stuckDetector: runtime.stuckDetector,
    openChild: childOpener(runtime, elsewhere),
    openFork: (id, now) =>
      openLocalConversation(runtime, { ...forkOptions(directory, options, hooks), ...elsewhere, ...now, id }),
    host,
    onChildConfirmation: options.onChildConfirmation,
    approvalTimeout: options.approvalTimeout,
    visualizer: toVisualizer(options.visualizer),
    subscriberGrace: options.subscriberGrace ?? 1000,
  });
  warnOfMissing(state, conversation.settings.missingSecrets, options.secrets);
  for (const subscriber of options.subscribers ?? []) conversation.subscribe(subscriber);
  return conversation;
}

/** Returns the options that a fork shares with its source. Options that belong to the source, or follow it, are left out. */
function forkOptions(
  directory: string,
  {
    store,
    cipher,
    owner,
    clientTools,
    onChildConfirmation,
    approvalTimeout,
    subscriberGrace,
    platform,
  }: LocalConversationOptions,
  hooks: Hooks | undefined,
): LocalConversationOptions {
  return {
    create: 'never',
    ...(store ? { store } : { persistenceDir: directory }),
    ...(cipher ? { cipher } : {}),
    ...(hooks ? { hooks } : {}),
    ...(owner === undefined ? {} : { owner }),
    ...(clientTools ? { clientTools } : {}),
    ...(onChildConfirmation ? { onChildConfirmation } : {}),
    ...(platform ? { platform } : {}),
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    ...(subscriberGrace === undefined ? {} : { subscriberGrace }),
  };
}

function toVisualizer(input: Visualizer | (new () => Visualizer) | null | undefined): Visualizer | undefined {
  if (input === undefined || input === null) return undefined;
  return typeof input === 'function' ? new input() : input;
}

/** Returns the error for a conversation that would begin to act on this machine, where its folder is another one or none. */
function withoutExecutor({ id }: ConversationState): ConversationError {
  return new ConversationError(
    'INVALID_INPUT',
    `Conversation: workspace: expected the executor in which conversation ${id} works, found none; give workspace: executeIn(server), or a folder of this machine`,
    { conversationId: id },
  );
}
