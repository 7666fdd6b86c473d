import type { Agent, Cipher, ConversationState, Visualizer } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';

import type { ChildHost, OpenChild } from '../children/child-host.ts';
import type { AskAboutChild } from '../children/child-work.ts';
import type { ClientCalls } from '../calls/client-calls.ts';
import type { ControlParts } from '../safeguards/safeguards.ts';
import type { LocalConversationOptions } from '../options/conversation-options.ts';

/** What a fork is opened with, as its source has it by then. */
export type ForkParts = Required<Pick<LocalConversationOptions, 'agent'>> &
  Pick<LocalConversationOptions, 'secrets' | 'securityAnalyzer'>;

/** Parts of a local conversation. `Forked` is the class of its forks, which is the class that is made of these parts. */
export interface LocalConversationParts<Forked> extends ControlParts {
  readonly state: ConversationState;
  /** It was stored before it was opened. */
  readonly resumed: boolean;
  /** The one that it starts with. */
  readonly agent: Agent;
  /** For the keys of models that are set later. */
  readonly cipher: Cipher | undefined;
  readonly store: ConversationStore;
  /** The store was made for this conversation and is closed with it. */
  readonly ownsStore: boolean;
  /** What tools are made for, but for the secrets. */
  readonly toolSession: ToolSession;
  /** The tools of its caller, which are among those of the session. */
  readonly clientCalls: ClientCalls;
  /** The folder of the conversation with this id; `null` when its store keeps none. */
  readonly folderOf: (id: string) => string | null;
  /** What its process calls itself as an owner, when it was told. */
  readonly owner: string | undefined;
  /** What becomes of a run that nobody works on. */
  readonly interruptedRun: 'rest' | 'keep';
  readonly openChild: OpenChild;
  /** Opens a fork as this conversation was opened, with these instead of what it was given then. */
  readonly openFork: (id: string, now: ForkParts) => Promise<Forked>;
  /** What it has of the conversation that it works for. */
  readonly host: ChildHost | undefined;
  readonly onChildConfirmation: AskAboutChild | undefined;
  readonly visualizer: Visualizer | undefined;
  /** Milliseconds. */
  readonly subscriberGrace: number;
}
