import type { Agent, Cipher, ConversationState, Visualizer } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';

import type { ChildHost, OpenChild } from '../children/child-host.ts';
import type { AskAboutChild } from '../children/child-work.ts';
import type { ClientCalls } from '../calls/client-calls.ts';
import type { SafeguardsDeps } from '../safeguards/safeguards.ts';
import type { LocalConversationOptions } from '../options/conversation-options.ts';

/** Options of a fork, as its source has them at the time of the fork. */
export type ForkParts = Required<Pick<LocalConversationOptions, 'agent'>> &
  Pick<LocalConversationOptions, 'secrets' | 'securityAnalyzer'>;

/** Parts of a local conversation. `Forked` is the class of its forks, which is the class that is made of these parts. */
export interface LocalConversationParts<Forked> extends SafeguardsDeps {
  readonly state: ConversationState;
  /** True if the conversation was stored before it was opened. */
  readonly resumed: boolean;
  /** The agent that the conversation starts with. */
  readonly agent: Agent;
  /** Encrypts the keys of models that are set later. */
  readonly cipher: Cipher | undefined;
  readonly store: ConversationStore;
  /** True if the store was made for this conversation and is closed with it. */
  readonly ownsStore: boolean;
  /** The session that tools are made for, without the secrets. */
  readonly toolSession: ToolSession;
  /** The caller's tools, which are among the tools of the session. */
  readonly clientCalls: ClientCalls;
  /** Returns the folder of the conversation with this id; `null` when its store keeps none. */
  readonly folderOf: (id: string) => string | null;
  /** The name of its process as an owner, if the caller gave it. */
  readonly owner: string | undefined;
  /** Treatment of a run that no process works on. */
  readonly interruptedRun: 'pause' | 'resume';
  readonly openChild: OpenChild;
  /** Opens a fork as this conversation was opened, with `now` in place of the original options. */
  readonly openFork: (id: string, now: ForkParts) => Promise<Forked>;
  /** The parent conversation, while this conversation works for it. */
  readonly host: ChildHost | undefined;
  readonly onChildConfirmation: AskAboutChild | undefined;
  /** Milliseconds for which a call waits for a person; `undefined` for no limit. */
  readonly approvalTimeout: number | undefined;
  readonly visualizer: Visualizer | undefined;
  /** Milliseconds. */
  readonly subscriberGrace: number;
}
