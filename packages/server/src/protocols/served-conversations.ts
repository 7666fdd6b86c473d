import { ConversationError, isConversationError } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { isStoreError } from '@conv/core/store';
import type { RemoteConversationOptions } from '@conv/remote';
import type { ReadConversation } from '@conv/turns';

import { refusalFor } from '../auth/principal.ts';
import { rightsEnded } from '../auth/rights-ended.ts';
import { VOUCHER_HEADER, type Vouchers } from '../auth/vouchers.ts';
import type { KnownConversations } from '../conversations/known-conversations.ts';
import { listKnown } from '../conversations/list-known.ts';
import { conversationNotFound } from '../hosting/conversation-not-found.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { HostedConversation } from '../hosting/hosted-conversation.ts';
import type { Reading } from '../hosting/stored-conversation.ts';
import { ApiError } from '../http/api-error.ts';
import { HeldConversations, upTo, type Opened } from './held-conversations.ts';
import { HostedForSender } from './hosted-for-sender.ts';
import { modelNames, newConversationOptions, type NewConversationDeps } from './new-conversation-options.ts';
import type { Sender, Senders } from './senders.ts';
import type { CallerConversations } from './served-protocol.ts';

/** Conversations of one page of a list. */
const PAGE = 50;

/** The folder of a conversation that is there: its own counts. */
const FOLDER = 'workspace/project';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface ServedConversationsDeps extends NewConversationDeps {
  readonly host: ConversationHost;
  readonly known: KnownConversations;
  readonly vouchers: Vouchers;
  readonly senders: Senders;
  /** Returns the address of this server, for itself. */
  readonly address: () => string;
}

/**
 * The conversations of this server for handlers of protocols. All that holds for clients holds for them: every check of a route, the owners in a fleet,
 * the audit trail. A conversation of this process is used without a connection for what an answer waits for; for everything else, and where another
 * process owns it, it is a remote conversation at the server itself (decisions 162, 169 and 183).
 */
export class ServedConversations implements CallerConversations {
  readonly #deps: ServedConversationsDeps;
  readonly #platform: Platform;
  readonly #held: HeldConversations;

  constructor(deps: ServedConversationsDeps) {
    const { host } = deps;
    this.#deps = deps;
    this.#platform = host.platform;
    this.#held = new HeldConversations(host.platform, (error) => host.report(error, { doing: 'closing a protocol' }));
  }

  readonly open: CallerConversations['open'] = async (id, request) => {
    const sender = this.#deps.senders.of(request);
    const missing = this.#held.missing(id, sender);
    const length = await this.#lengthFor(sender, id).catch((error: unknown) => {
      if (isConversationError(error, 'NOT_FOUND')) missing(error);
      throw error;
    });
    const conversation = await this.#held.get(id, sender, (current) =>
      this.#opened(id, current, FOLDER, { id, create: 'never' }),
    );
    await upTo(conversation, length, this.#platform);
    return conversation;
  };

  readonly create: CallerConversations['create'] = async (wanted, request) => {
    const sender = this.#deps.senders.of(request);
    const { id = this.#platform.id() } = wanted;
    if (!UUID.test(id))
      throw new ConversationError(
        'INVALID_INPUT',
        `expected a UUID as the id of a new conversation, found ${JSON.stringify(id)}`,
      );
    if (wanted.id !== undefined) {
      const known = await this.open(id, request).catch(ifMissing);
      if (known) return known;
    }
    const caller = await sender.caller();
    const refusal = refusalFor(caller, 'run');
    if (refusal !== undefined) throw new ConversationError('DENIED', refusal);
    const { workingDir, options } = await newConversationOptions(this.#deps, wanted, { caller, id });
    return this.#held.get(id, sender, (current) => this.#opened(id, current, workingDir, options));
  };

  readonly list: CallerConversations['list'] = async (cursor, request) => {
    const { host, known, senders } = this.#deps;
    const caller = await senders.of(request).caller();
    const query = {
      limit: PAGE,
      sort_order: 'UPDATED_AT_DESC',
      status: null,
      include_skills: false,
      page_id: cursor ?? null,
    } as const;
    try {
      const { items, next } = await listKnown(host.options.store, query, { caller, known });
      return { ids: items.map(({ id }) => id), next };
    } catch (error) {
      if (!isStoreError(error, 'NOT_FOUND')) throw error;
      throw new ConversationError(
        'INVALID_INPUT',
        'expected the token of a page of this list, found another one; start again without a token',
      );
    }
  };

  readonly read: CallerConversations['read'] = async (id, request) => {
    const reading = await this.#readingFor(this.#deps.senders.of(request), id);
    return { conversation: readOnly(reading), close: async () => reading[Symbol.asyncDispose]() };
  };

  readonly models: CallerConversations['models'] = () => modelNames(this.#deps);

  /** Closes all conversations. Their runs go on. */
  close(): Promise<void> {
    return this.#held.close();
  }

  /** Resolves with the number of events of a conversation that the sender may know. Rejects `NOT_FOUND` for another one. */
  async #lengthFor(sender: Sender, id: string): Promise<number> {
    await using reading = await this.#readingFor(sender, id);
    return reading.state.events.length;
  }

  async #readingFor(sender: Sender, id: string): Promise<Reading> {
    const { host, known } = this.#deps;
    const caller = await sender.caller();
    if (!UUID.test(id) || !(await known.knows(caller, id))) throw conversationNotFound(id);
    const reading = await host.read(id);
    if (!reading) throw conversationNotFound(id);
    return reading;
  }

  /** Opens or makes a conversation. It is made by the route, with all that belongs to it. */
  async #opened(
    id: string,
    sender: () => Sender,
    workingDir: string,
    options: Omit<RemoteConversationOptions, 'workspace'>,
  ): Promise<Opened> {
    const client = (): Promise<Opened> => this.#asClient(id, sender, workingDir, options);
    if (options.create === 'never') return (await this.#here(id, sender, true)) ?? client();
    const made = await client();
    const here = await this.#here(id, sender, made.conversation.resumed);
    if (!here) return made;
    const report = (error: unknown): void =>
      this.#deps.host.report(error, { conversationId: id, doing: 'closing a protocol' });
    await made.close().catch(report);
    return here;
  }

  /**
   * Opens a conversation of this process for a sender. Resolves with `undefined` if its sender has to be a client: another process owns the
   * conversation, or it cannot be loaded.
   */
  async #here(id: string, sender: () => Sender, resumed: boolean): Promise<Opened | undefined> {
    const { host, known } = this.#deps;
    const lease = await host.follow(id).catch(() => undefined);
    if (!lease) return undefined;
    const { conversation: hosted, release } = lease;
    if (!(hosted instanceof HostedConversation) || hosted.ending.isOver) {
      release();
      return undefined;
    }
    const over = new AbortController();
    const conversation = new HostedForSender({
      platform: this.#platform,
      hosted,
      resumed,
      caller: () => sender().caller(),
      checkKnown: (caller, conversationId) => known.check(caller, conversationId),
      open: () => this.#asClient(id, sender, FOLDER, { id, create: 'never' }),
      report: (error) => host.report(error, { conversationId: id, doing: 'serving a protocol' }),
      release,
    });
    const lost = rightsEnded(() => sender().rights(), over.signal, {
      platform: this.#platform,
      scope: 'read',
      knows: (caller) => known.knows(caller, id),
    });
    const once = { once: true, signal: over.signal };
    lost.addEventListener('abort', () => this.#forget(id, sender()), once);
    // its followers are told so, and its commands find where it is now
    hosted.ended.addEventListener('abort', () => this.#held.ended(id, sender()), once);
    const close = async (): Promise<void> => {
      over.abort();
      await conversation.close();
    };
    return { conversation, close, isThere: () => this.#isThere(id, sender), isOutdated: () => false };
  }

  /** Ends what is open for a sender that has lost its rights, its answers before. */
  #forget(id: string, sender: Sender): void {
    const lost = new ApiError(401, 'Unauthorized');
    const end = this.#held.missing(id, sender);
    sender.cutOff(lost);
    end(lost);
  }

  #isThere(id: string, sender: () => Sender): Promise<boolean> {
    return this.#lengthFor(sender(), id).then(
      () => true,
      (error: unknown) => !isConversationError(error, 'NOT_FOUND') && !isConversationError(error, 'DENIED'),
    );
  }

  async #asClient(
    id: string,
    sender: () => Sender,
    workingDir: string,
    options: Omit<RemoteConversationOptions, 'workspace'>,
  ): Promise<Opened> {
    const { vouchers, address } = this.#deps;
    const { openRemoteConversation, RemoteWorkspace } = await import('@conv/remote');
    const voucher = vouchers.issue(async () => {
      const caller = await sender().rights();
      // its socket is refused for good, also if the key gets its rights again
      if (!caller || refusalFor(caller, 'read') !== undefined) this.#forget(id, sender());
      return caller;
    });
    try {
      const workspace = new RemoteWorkspace({
        host: address(),
        workingDir,
        headers: { [VOUCHER_HEADER]: voucher },
        // a server that does not answer itself is busy or stopping, and says so elsewhere
        requests: { onRetry: () => {} },
        platform: this.#platform,
      });
      const conversation = await openRemoteConversation({}, { ...options, workspace });
      const close = async (): Promise<void> => {
        await conversation.close();
        vouchers.takeBack(voucher);
      };
      // in a fleet this server may come to own it
      const isOutdated = (): boolean => this.#deps.host.loaded(id) !== undefined;
      return { conversation, close, isThere: () => this.#isThere(id, sender), isOutdated };
    } catch (error) {
      vouchers.takeBack(voucher);
      throw error;
    }
  }
}

/** Returns a reading as adapters take it. */
export function readOnly({ id, state }: Reading): ReadConversation {
  return { id, state, events: state.events };
}

function ifMissing(error: unknown): undefined {
  if (!isConversationError(error, 'NOT_FOUND')) throw error;
}
