import { join } from 'node:path';
import { fromStoreError, type ProtectedPlaces } from '@conv/core';
import type { LocalConversation, LocalConversationOptions, LocalRuntimeOptions } from '@conv/local';
import { WORKS_ALONE } from '@conv/local/log';
import type { ConversationStore } from '@conv/core/store';

import { givenAgain, thresholdsOf } from './reopen-options.ts';
import { HERE, type ConversationExecutors, type Hands } from './conversation-executors.ts';
import type { HostOptions } from './host-options.ts';
import { readStored } from './stored-conversation.ts';

/** Options of a new conversation. */
export type NewConversation = Omit<
  LocalConversationOptions,
  'store' | 'platform' | 'persistenceDir' | 'create' | 'cipher' | 'subscribers' | 'visualizer' | 'subscriberGrace'
> & { readonly id: string; readonly workspace: string };

/** A conversation that is open, and where its tools act. */
export interface OpenConversation {
  readonly conversation: LocalConversation;
  readonly hands: Hands;
}

/** Makes a conversation of a server, which works by itself also if it has a parent. Rejects as `openLocalConversation`. */
export async function makeLocal(
  host: HostOptions,
  executors: ConversationExecutors,
  options: NewConversation,
): Promise<OpenConversation> {
  const hands = await executors.forNew(options.id, options.meta ?? {}, options.workspace);
  return openWith(hands, runtimeOf(host, hands, options), {
    ...shared(host, options.id),
    ...options,
    ...(options.parentId === undefined ? {} : { meta: { ...options.meta, ...WORKS_ALONE } }),
    create: 'must',
  });
}

/** Opens a stored conversation of a server, with the options that it does not store. Rejects as `openLocalConversation`. */
export async function openLocal(
  host: HostOptions,
  executors: ConversationExecutors,
  id: string,
): Promise<OpenConversation> {
  const stored = await readStored(id, host).catch((error: unknown) => {
    throw fromStoreError(error, id);
  });
  await stored?.[Symbol.asyncDispose]();
  const { clientTools } = stored ? givenAgain(stored.fields) : {};
  const again = clientTools ? { clientTools } : {};
  const hands = stored ? await executors.forStored(id, stored.fields) : HERE;
  return openWith(hands, runtimeOf(host, hands, { id, meta: stored?.fields.extra.meta }), {
    ...shared(host, id),
    ...again,
    id,
    create: 'never',
  });
}

/** Opens a conversation. Gives up its hands if that fails. */
async function openWith(
  hands: Hands,
  runtime: LocalRuntimeOptions,
  options: LocalConversationOptions,
): Promise<OpenConversation> {
  const { workspace } = hands;
  try {
    const { openLocalConversation } = await import('@conv/local');
    const conversation = await openLocalConversation(runtime, { ...options, ...(workspace ? { workspace } : {}) });
    return { conversation, hands };
  } catch (error) {
    // another server may own the conversation, and use the same executor; here nothing has used it
    await hands.release({ isTakenOver: true });
    throw error;
  }
}

function shared(
  { platform, persistenceDir, cipher, subscribers, fleet, approvalTimeout }: HostOptions,
  id: string,
): LocalConversationOptions {
  return {
    platform,
    persistenceDir,
    // the name of the owner is the URL at which other servers reach it
    ...(fleet ? { owner: fleet.url } : {}),
    // a run outlives its process: this server continues it after a restart, or another server of its fleet does
    interruptedRun: 'resume',
    ...(cipher ? { cipher } : {}),
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    subscribers: subscribers?.(id) ?? [],
    // the server waits for followers itself, so a run need not
    subscriberGrace: 0,
  };
}

function runtimeOf(
  host: HostOptions,
  { workspace }: Pick<Hands, 'workspace'>,
  { id, meta }: { readonly id: string; readonly meta?: Parameters<typeof thresholdsOf>[0] },
): LocalRuntimeOptions {
  const { store, agents, secrets, analyzers, hooks } = host;
  const thresholds = thresholdsOf(meta);
  const stuckDetector = (thresholds && host.stuckDetectorWith?.(thresholds)) ?? host.stuckDetector;
  return {
    storeAt: () => borrowed(store),
    agents,
    ...(secrets ? { secrets } : {}),
    ...(analyzers ? { analyzers } : {}),
    ...(hooks ? { hooks: (config) => hooks(config, { isExecuted: workspace !== undefined }) } : {}),
    protect: () => withOwnFiles(host, id),
    ...(stuckDetector ? { stuckDetector } : {}),
  };
}

/** Files that decide the rights of a conversation. The side files beside them are for its agent to read. */
const OWN_FILES = ['base_state.json', 'meta.json', 'owner_lease.json', 'events', '.conv'];

function withOwnFiles({ protect, persistenceDir }: HostOptions, id: string): ProtectedPlaces {
  const { addresses, paths } = protect?.() ?? { addresses: [], paths: [] };
  const folder = join(persistenceDir, id.replaceAll('-', ''));
  return { addresses, paths: [...paths, ...OWN_FILES.map((name) => join(folder, name))] };
}

const BORROWED = new WeakMap<ConversationStore, Required<ConversationStore>>();

/**
 * Returns a store that does not close `store` when it is closed, because others use it too. The same one for all conversations, which are many.
 *
 * @internal
 */
export function borrowed(store: ConversationStore): Required<ConversationStore> {
  const known = BORROWED.get(store) ?? lent(store);
  BORROWED.set(store, known);
  return known;
}

function lent(store: ConversationStore): Required<ConversationStore> {
  return {
    features: store.features,
    open: (id, options) => store.open(id, options),
    read: (id) => store.read(id),
    list: (query) => store.list(query),
    fork: (id, newId, options) => store.fork(id, newId, options),
    delete: (id) => store.delete(id),
    check: (id, options) => store.check(id, options),
    close: async () => {},
  };
}
