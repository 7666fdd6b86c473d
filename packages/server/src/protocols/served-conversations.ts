import { ConversationError, isConversationError } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { RemoteConversationOptions } from '@conv/remote';

import { refusalFor } from '../auth/principal.ts';
import { VOUCHER_HEADER, type Vouchers } from '../auth/vouchers.ts';
import type { KnownConversations } from '../conversations/known-conversations.ts';
import { listKnown } from '../conversations/list-known.ts';
import { conversationNotFound } from '../hosting/conversation-not-found.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { ApiError } from '../http/api-error.ts';
import { HeldConversations, upTo, type Opened } from './held-conversations.ts';
import { modelNames, newConversationOptions, type NewConversationDeps } from './new-conversation-options.ts';
import type { Sender, Senders } from './senders.ts';
import type { CallerConversations } from './served-protocol.ts';

/** Conversations of one page of a list. */
const PAGE = 50;

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
 * The conversations of this server for handlers of protocols. They are remote conversations at the server itself, so that all that holds for clients
 * holds for them: every check of a route, the owners in a fleet, the audit trail (decision 162).
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
      if (isConversationError(error, 'NOT_FOUND')) missing();
      throw error;
    });
    const conversation = await this.#held.get(id, sender, (current) =>
      this.#opened(id, current, 'workspace/project', { id, create: 'never' }),
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
      if (!(error instanceof ApiError)) throw error;
      throw new ConversationError('INVALID_INPUT', 'expected the token of a page of this list, found another one');
    }
  };

  readonly models: CallerConversations['models'] = () => modelNames(this.#deps);

  /** Closes all conversations. Their runs go on. */
  close(): Promise<void> {
    return this.#held.close();
  }

  /** Resolves with the number of events of a conversation that the sender may know. Rejects `NOT_FOUND` for another one. */
  async #lengthFor(sender: Sender, id: string): Promise<number> {
    const { host, known } = this.#deps;
    const caller = await sender.caller();
    if (!UUID.test(id) || !(await known.knows(caller, id))) throw conversationNotFound(id);
    await using reading = await host.read(id);
    if (!reading) throw conversationNotFound(id);
    return reading.state.events.length;
  }

  async #opened(
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
      if (!caller || refusalFor(caller, 'read') !== undefined) this.#held.missing(id, sender())();
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
      const isThere = (): Promise<boolean> =>
        this.#lengthFor(sender(), id).then(
          () => true,
          (error: unknown) => !isConversationError(error, 'NOT_FOUND') && !isConversationError(error, 'DENIED'),
        );
      return { conversation, isThere, close };
    } catch (error) {
      vouchers.takeBack(voucher);
      throw error;
    }
  }
}

function ifMissing(error: unknown): undefined {
  if (!isConversationError(error, 'NOT_FOUND')) throw error;
}
