import { Turns, type BackoffOptions } from '@conv/core/platform';
import { toConversationId } from '@conv/core/store';
import type { Registry } from '@conv/store-kit/registry';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { ProtocolReceivers, ReceiverPlace } from '../protocols/served-protocol.ts';
import type { Senders } from '../protocols/senders.ts';
import { ConversationDelivery } from '../webhooks/conversation-delivery.ts';
import { postMessage } from '../webhooks/post-message.ts';
import { WebhookPositions } from '../webhooks/webhook-positions.ts';
import { WebhookSender } from '../webhooks/webhook-sender.ts';
import type { Webhook } from '../webhooks/webhooks.ts';
import { conversationOf, recordNameOf, type PlaceReceivers, type ReceiverRecords } from './receiver-records.ts';
import { receiverSteps, type ReceiverStepsDeps } from './receiver-steps.ts';

/** Longest time after which a conversation is tried again that another server tells. */
const HELD_FOR = 5000;

/** Milliseconds after which a receiver is removed that has taken nothing. */
const GIVEN_UP = 86_400_000;

export interface ReceiversDeps extends Omit<ReceiverStepsDeps, 'host'> {
  readonly host: ConversationHost;
  readonly registry: Registry;
  readonly records: ReceiverRecords;
  readonly senders: Senders;
  /** Reaches allowed addresses alone, and follows no redirect. */
  readonly fetch: typeof fetch;
  readonly timeout: number;
  readonly backoff: BackoffOptions | undefined;
}

/** A place, as this server knows its record. */
interface KnownPlace {
  readonly conversation: string;
  mark: string | undefined;
  /** By the key of each receiver. */
  readonly senders: Map<string, WebhookSender>;
}

/**
 * The receivers that clients of protocols named, told by the machinery of webhooks: a position for each receiver, claimed by the server that sends, moved
 * after each message that was taken. Each receiver has a sender of its own, so that none waits for another one.
 */
export class Receivers {
  readonly #deps: ReceiversDeps;
  readonly #holder: string;
  /** The places with receivers, by the name of their record. */
  readonly #places = new Map<string, KnownPlace>();
  readonly #loading = new Turns();
  #isClosed = false;

  constructor(deps: ReceiversDeps) {
    this.#deps = deps;
    this.#holder = deps.host.platform.id();
  }

  /** Returns the receivers of a protocol, for its handler. */
  of(protocol: string): ProtocolReceivers {
    const { records, senders, host } = this.#deps;
    return {
      list: async (place) =>
        ((await records.read(recordNameOf(protocol, place)))?.receivers ?? []).map(({ id, value }) => ({ id, value })),
      set: async (given, { id, value }, { most, request }) => {
        const by = senders.of(request).keptKey();
        const place = { ...given, conversation: toConversationId(given.conversation) };
        let isFull = false;
        await this.#change(protocol, place, (receivers) => {
          const others = receivers.filter((each) => each.id !== id);
          isFull = others.length >= most;
          return isFull ? receivers : [...others, { id, value, by, key: host.platform.id() }];
        });
        return !isFull;
      },
      delete: (place, id) =>
        this.#change(protocol, place, (receivers) =>
          receivers.some((each) => each.id === id) ? receivers.filter((each) => each.id !== id) : receivers,
        ),
    };
  }

  /** Returns all receivers as one webhook, which gets each conversation that changes. */
  asWebhook(): Webhook {
    return {
      since: -Infinity,
      conversations: async () => [],
      refresh: () => this.#refresh(),
      sender: {
        // a receiver may wait while another one of the conversation is told
        has: () => false,
        add: (id, options) => {
          for (const { conversation, senders } of this.#places.values())
            if (conversation === id) for (const sender of senders.values()) sender.add(id, options);
        },
        close: async (grace) => {
          this.#isClosed = true;
          const all = [...this.#places.values()].flatMap(({ senders }) => [...senders.values()]);
          await Promise.all(all.map((sender) => sender.close(grace)));
        },
      },
    };
  }

  /** Reads the records that have changed, and has their receivers told. Resolves with true if there are any. */
  async #refresh(): Promise<boolean> {
    const { records, host } = this.#deps;
    const marks = await records.marks();
    for (const name of this.#places.keys()) if (!marks.has(name)) await this.#load(name, undefined);
    for (const [name, mark] of marks)
      if (this.#places.get(name)?.mark !== mark)
        await this.#load(name, mark).catch((error: unknown) => host.report(error, { doing: 'reading receivers' }));
    return this.#places.size > 0;
  }

  async #change(
    protocol: string,
    place: ReceiverPlace,
    change: (receivers: PlaceReceivers['receivers']) => PlaceReceivers['receivers'],
  ): Promise<void> {
    const name = recordNameOf(protocol, place);
    let before: PlaceReceivers['receivers'] = [];
    const after = await this.#deps.records.change(name, (stored) => {
      before = stored?.receivers ?? [];
      const receivers = change(before);
      return receivers === before ? stored : { ...place, ...stored, protocol, receivers };
    });
    const kept = new Set(after?.receivers.map(({ key }) => key));
    await this.#load(name, undefined);
    for (const { key } of before) if (!kept.has(key)) await this.#forget(key, conversationOf(name));
  }

  /** Reads a record, and has its receivers told. */
  #load(name: string, mark: string | undefined): Promise<void> {
    return this.#loading.run(async () => {
      const stored = await this.#deps.records.read(name);
      if (this.#isClosed) return;
      const keys = new Set(stored?.receivers.map(({ key }) => key));
      const place: KnownPlace = this.#places.get(name) ?? {
        conversation: conversationOf(name),
        mark,
        senders: new Map(),
      };
      for (const [key, sender] of place.senders) {
        if (keys.has(key)) continue;
        place.senders.delete(key);
        // its request that is on may be the call of this function
        void sender.close(0);
      }
      if (keys.size === 0) return void this.#places.delete(name);
      place.mark = mark;
      this.#places.set(name, place);
      for (const key of keys) {
        if (!place.senders.has(key)) place.senders.set(key, this.#senderOf(name, key));
        place.senders.get(key)?.add(place.conversation, { flush: true });
      }
    }, name);
  }

  #senderOf(name: string, key: string): WebhookSender {
    const { host, records, timeout, backoff, fetch } = this.#deps;
    const { platform } = host;
    const positions = this.#positionsOf(key);
    let isOver = false;
    const next = receiverSteps(this.#deps, { key, read: () => records.read(name), over: () => void (isOver = true) });
    const sender: WebhookSender = new WebhookSender({
      platform,
      backoff,
      flushDelay: 0,
      heldFor: Math.min(HELD_FOR, timeout),
      deliver: async (id, { flush, signal }) => {
        const result = await new ConversationDelivery({
          positions,
          next,
          post: (message) => postMessage(message, { platform, fetch, headers: {}, keys: [], timeout }, signal),
          delivered: () => sender.took(id),
        }).deliver(id, { flush, signal });
        if (isOver) await this.#remove(name, key);
        return result;
      },
      failed: (error, conversationId, since) => {
        host.report(error, { conversationId, doing: 'telling a receiver that a client named' });
        if (since !== undefined && platform.now() - since > GIVEN_UP)
          void this.#remove(name, key).catch((failure: unknown) =>
            host.report(failure, { conversationId, doing: 'removing a receiver' }),
          );
      },
    });
    return sender;
  }

  /** Removes a receiver that is not needed any more. */
  async #remove(name: string, key: string): Promise<void> {
    const { records } = this.#deps;
    await records.change(
      name,
      (stored) => stored && { ...stored, receivers: stored.receivers.filter((each) => each.key !== key) },
    );
    await this.#load(name, undefined);
    await this.#forget(key, conversationOf(name));
  }

  async #forget(key: string, conversation: string): Promise<void> {
    const positions = this.#positionsOf(key);
    const stored = await positions.read(conversation);
    if (stored) await positions.remove(conversation, stored);
  }

  #positionsOf(key: string): WebhookPositions {
    const { registry, host, timeout } = this.#deps;
    return new WebhookPositions({
      registry,
      platform: host.platform,
      webhook: key.replaceAll('-', ''),
      holder: this.#holder,
      lease: 2 * timeout,
    });
  }
}
