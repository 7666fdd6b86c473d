import type { MessageInput, SentMessage } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import type { LocalConversation } from '@conv/local';
import { isRegistryError } from '@conv/store-kit/registry';

import type { Caller } from '../auth/principal.ts';
import { REGISTRY_WAIT, type Usage } from '../usage/usage.ts';
import type { BackgroundRuns } from './background-runs.ts';
import type { CountedStarts, StartedBy } from './counted-starts.ts';

/** Options of sending a message. */
export interface SendOptions extends StartedBy {
  /** Start a run that answers it, unless one is on. Default `false`. */
  readonly run?: boolean;
  readonly sender?: string;
  /** The id of its event. A message whose id is in the log already is not stored again, and gets the same answer. */
  readonly id?: string;
}

export interface SentMessagesDeps {
  readonly platform: Platform;
  readonly conversation: LocalConversation;
  readonly runs: Pick<BackgroundRuns, 'active' | 'want'>;
  readonly starts: CountedStarts;
  readonly usage: Usage;
  readonly report: (error: unknown, doing: string) => void;
}

/** The messages that callers send to a conversation, and the runs that answer them. */
export class SentMessages {
  readonly #deps: SentMessagesDeps;
  #sending: Set<Promise<SentMessage>> | undefined;
  #isPaid = true;

  constructor(deps: SentMessagesDeps) {
    this.#deps = deps;
  }

  /** False if the sender of the last message has a daily limit and started no run, so that no cost of the conversation counts for its day. */
  get isPaid(): boolean {
    return this.#isPaid;
  }

  /** Sends a message; see `HostedConversation.send`. */
  async send(message: MessageInput, options: SendOptions = {}): Promise<SentMessage> {
    const sending = this.#send(message, options);
    (this.#sending ??= new Set()).add(sending);
    try {
      return await sending;
    } finally {
      this.#sending?.delete(sending);
    }
  }

  /** Resolves when the messages that are on their way now are stored or refused, and their runs are asked for. */
  async settled(): Promise<void> {
    if (this.#sending) await Promise.allSettled(this.#sending);
  }

  async #send(message: MessageInput, { run = false, by, ...options }: SendOptions): Promise<SentMessage> {
    const { conversation, runs, starts, usage } = this.#deps;
    const { id } = options;
    this.#isPaid = run || !by || !usage.counts(by);
    const repeated = id !== undefined && (await conversation.events.indexOf(id)) !== undefined;
    const isAnswered = repeated && conversation.state.executionStatus !== 'idle';
    if (run && by && !isAnswered && !runs.active && usage.counts(by))
      return this.#sendCounted(message, options, { by, repeated });
    const sent = await conversation.sendMessage(message, options);
    // the run that was on may have ended meanwhile
    if (run) await this.#answer(sent, repeated, () => starts.begin(by, () => runs.want()));
    return sent;
  }

  /**
   * Sends a message once its run is reserved, so that a message beyond the limit of its caller is refused and not stored. A registry that
   * does not tell in time delays the run, and not the message (P7).
   */
  async #sendCounted(
    message: MessageInput,
    options: Omit<SendOptions, 'run' | 'by'>,
    { by, repeated }: { readonly by: Caller; readonly repeated: boolean },
  ): Promise<SentMessage> {
    const { platform, conversation, runs, starts } = this.#deps;
    let stored: Promise<SentMessage> | undefined;
    const store = (): Promise<SentMessage> => (stored ??= conversation.sendMessage(message, options));
    const begun = starts.begin(by, async () => this.#answer(await store(), repeated, () => runs.want()));
    const report = (error: unknown): void => this.#deps.report(error, 'starting a run for a message');
    try {
      const isInTime = await timers.settlesWithin(platform, REGISTRY_WAIT, begun);
      if (!isInTime) begun.catch(report);
    } catch (error) {
      if (!isRegistryError(error)) throw error;
      report(error);
    }
    return store();
  }

  /** Starts a run that answers a stored message, unless the message is a repetition that a run has answered. False for no new run. */
  async #answer(sent: SentMessage, repeated: boolean, want: () => Promise<boolean>): Promise<boolean> {
    try {
      if (repeated && this.#deps.conversation.state.executionStatus !== 'idle') return false;
      return await want();
    } catch (error) {
      this.#deps.report(error, `starting a run for message ${sent.id}`);
      return false;
    }
  }
}
