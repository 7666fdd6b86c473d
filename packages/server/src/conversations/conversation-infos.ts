import { errorText, isConversationError, type StateFields } from '@conv/core';
import type { ConversationSummary } from '@conv/core/store';
import type { ConversationInfo, UnreadableConversation } from '@conv/openhands/rest';

import type { Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import type { Reading } from '../hosting/stored-conversation.ts';
import { toConversationInfo } from './conversation-info.ts';
import { KnownChildren } from './known-children.ts';
import { runtimeInfoOf } from './runtime-info.ts';
import type { KnownConversations } from './known-conversations.ts';

/** Maximum number of conversations that are read concurrently for a list. */
const AT_ONCE = 8;

/** The conversations of one page of a list, as clients see them. */
export interface ListedInfos {
  readonly infos: readonly ConversationInfo[];
  readonly unreadable: readonly UnreadableConversation[];
}

/** The reader of an info. */
export interface InfoReader {
  /** True if the agent is shown with its skills. */
  readonly includeSkills: boolean;
  readonly caller: Caller;
}

/** Reads the conversations of a host as clients see them. */
export class ConversationInfos {
  readonly #host: ConversationHost;
  readonly children: KnownChildren;
  readonly known: KnownConversations;

  constructor(host: ConversationHost, known: KnownConversations) {
    this.#host = host;
    this.known = known;
    this.children = new KnownChildren(host.options.store, host.platform);
  }

  /** Resolves with the current info of a loaded conversation. */
  ofLoaded({ id, fields, conversation }: HostedConversation, reader: InfoReader): Promise<ConversationInfo> {
    const { state, settings } = conversation;
    return this.of({ id, fields, state, missingSecrets: settings.missingSecrets }, reader);
  }

  /** Resolves with the info of a conversation opened for reading. */
  async of(
    { id, fields, state, missingSecrets }: Omit<Reading, 'past' | keyof AsyncDisposable>,
    { includeSkills, caller }: InfoReader,
    updatedAt?: string,
  ): Promise<ConversationInfo> {
    const [children, last] = await Promise.all([this.children.of(id), updatedAt ?? state.events.at(-1)]);
    return toConversationInfo(await this.#shownTo(caller, fields), {
      updatedAt: typeof last === 'string' ? last : (last?.timestamp ?? fields.createdAt),
      children,
      persistenceDir: this.#host.options.persistenceDir,
      runtime: runtimeInfoOf(this.#host, fields),
      // the error of a secret source may contain secrets
      missingSecrets: state.mask.json(missingSecrets),
      missingTools: this.#host.options.agents.missingTools?.(fields.agent) ?? [],
      unansweredCalls: unansweredCalls(fields, state.pendingActions),
      includeSkills,
    });
  }

  /** Returns the state without the ids of conversations that the caller may not know. */
  async #shownTo(caller: Caller, fields: StateFields): Promise<StateFields> {
    if (!caller.limits) return fields;
    const { parentId, forkedFrom } = fields;
    const isKnown = async (id: string | undefined | null): Promise<boolean> =>
      id !== undefined && id !== null && this.known.knows(caller, id);
    return {
      ...fields,
      parentId: (await isKnown(parentId)) ? parentId : null,
      forkedFrom: (await isKnown(forkedFrom?.conversationId)) ? forkedFrom : null,
    };
  }

  /** Resolves with infos in the order of the ids; null for a missing conversation, and for an unreadable one, which is reported. */
  async ofEach(ids: readonly string[], reader: InfoReader): Promise<readonly (ConversationInfo | null)[]> {
    const found = await this.#attemptEach(
      ids.map((id) => ({ id })),
      reader,
    );
    return found.map((one) => (one instanceof Unreadable ? null : one));
  }

  /** Returns the infos of listed conversations, and the ids of unreadable conversations. Deleted conversations are in neither list. */
  async ofListed(items: readonly ConversationSummary[], reader: InfoReader): Promise<ListedInfos> {
    const found = await this.#attemptEach(items, reader);
    const unreadable = found.filter((one) => one instanceof Unreadable);
    const infos = found.filter((one) => one !== null && !(one instanceof Unreadable)) as readonly ConversationInfo[];
    return { infos, unreadable: unreadable.map(({ id, reason }) => ({ id, reason })) };
  }

  /** Rejects when no conversation can be read, because the store itself has failed then. */
  async #attemptEach(
    items: readonly Pick<ConversationSummary, 'id' | 'unreadable'>[],
    reader: InfoReader,
  ): Promise<readonly Attempt[]> {
    const attempts: Attempt[] = Array.from({ length: items.length }, () => null);
    await this.children.load(items.map(({ id }) => id));
    const numbered = items.entries();
    const work = async (): Promise<void> => {
      for (const [at, item] of numbered) attempts[at] = await this.#attempt(item, reader);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
    const failed = attempts.filter((one) => one instanceof Unreadable && one.error !== undefined);
    const [first] = failed;
    if (first instanceof Unreadable && failed.length === items.length) throw first.error;
    for (const one of failed)
      if (one instanceof Unreadable) this.#host.report(one.error, { conversationId: one.id, doing: 'reading' });
    return attempts;
  }

  async #attempt(
    { id, unreadable }: Pick<ConversationSummary, 'id' | 'unreadable'>,
    info: InfoReader,
  ): Promise<Attempt> {
    if (!(await this.known.knows(info.caller, id))) return null;
    if (unreadable !== undefined) return new Unreadable(id, unreadable);
    try {
      await using reading = await this.#host.read(id);
      return reading ? await this.of(reading, info) : null;
    } catch (error) {
      if (isConversationError(error, 'CLOSED')) throw error;
      return new Unreadable(id, errorText(error), error);
    }
  }
}

/** Returns the ids of the calls of client tools that wait for their answers while a conversation runs. */
function unansweredCalls(
  { executionStatus, clientTools, calls }: StateFields,
  pending: Reading['state']['pendingActions'],
): readonly string[] {
  if (executionStatus !== 'running' || clientTools.length === 0) return [];
  const names = new Set(clientTools.map(({ name }) => name));
  const open = pending.filter(({ id, tool_name: tool }) => names.has(tool) && calls[id] === 'started');
  return open.map(({ id }) => id);
}

/** A conversation that exists and cannot be read. */
class Unreadable {
  readonly id: string;
  readonly reason: string;
  /** The error that reading the conversation failed with; `undefined` when the list itself reported it as unreadable. */
  readonly error: unknown;

  constructor(id: string, reason: string, error?: unknown) {
    this.id = id;
    this.reason = reason;
    this.error = error;
  }
}

type Attempt = ConversationInfo | Unreadable | null;
