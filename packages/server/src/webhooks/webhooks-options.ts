import type { BackoffOptions } from '@conv/core/platform';
import type { Registry } from '@conv/store-kit/registry';

/** Options of the webhooks of a server: receivers that are told every event of every conversation, by HTTP. */
export interface WebhooksOptions {
  /** Holds how far each receiver has been told of each conversation. All servers on a store share it. */
  readonly registry: Registry;
  readonly endpoints: readonly WebhookOptions[];
  /**
   * Hosts that webhooks reach although they are not public, such as `10.0.0.7:8080` or `hooks.internal`; see `guardedFetch` of `@conv/egress`.
   * Default: none.
   */
  readonly hosts?: readonly string[];
  /** Milliseconds between looks for conversations that no server has told of, such as those of a killed server. Default 10000. */
  readonly scanInterval?: number;
  readonly observer?: WebhookObserver;
}

/** A receiver of webhooks. */
export interface WebhookOptions {
  /**
   * Unique and lasting: positions are stored under it. 1 to 40 letters, digits, dots, hyphens and underscores. A receiver with a new name is told
   * what happens from then on.
   */
  readonly name: string;
  /** An http or https URL. In the format `openhands` the base URL, below which the events and conversations are posted. */
  readonly url: string;
  /** Default `cloudevents`: one CloudEvent in each request. `openhands`: batches, as servers of OpenHands send them. */
  readonly format?: 'cloudevents' | 'openhands';
  /**
   * Keys that sign each request, of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. Each one signs, so a receiver can change its key without a
   * gap. Default: requests are not signed.
   */
  readonly secrets?: readonly string[];
  /** Headers of each request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds in which a receiver must answer. Default 15000. */
  readonly timeout?: number;
  /** Waits after a failure, which never end. Default: 1 s at first, 10 min at most. */
  readonly backoff?: BackoffOptions;
  /** In the format `openhands`, events that are waited for while the conversation runs, before they are posted. Default 5. */
  readonly bufferSize?: number;
  /** In the format `openhands`, milliseconds after which fewer events are posted. Each event starts them again. Default 30000. */
  readonly flushDelay?: number;
}

/** Callbacks for metrics. Must not throw. */
export interface WebhookObserver {
  /** A receiver has taken a request. */
  delivered?(webhook: string, about: { readonly conversationId: string; readonly events: number }): void;
  /** A receiver has not taken a request. `since`: epoch milliseconds of the first failure after its last success. */
  failed?(webhook: string, about: { readonly conversationId: string; readonly since: number }): void;
}
