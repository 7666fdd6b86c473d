import type {
  AgentFactory,
  Cipher,
  HooksFactory,
  ProtectedPlaces,
  JsonObject,
  SecretVaultFactory,
  SecurityAnalyzerFactory,
  StuckDetector,
  Subscriber,
} from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { RunObserver } from './background-runs.ts';
import type { FleetOptions } from '../ownership/fleet-options.ts';
import type { WorktreeOptions } from '../workspace/worktrees.ts';

/** What the conversations of a server are made of. The server knows interfaces alone; an application picks what stands behind them. */
export interface HostOptions {
  /** Where conversations are kept. The caller closes it, after the server. */
  readonly store: ConversationStore;
  /**
   * The folder under which each conversation has one for its side files, named by its id without dashes; for a store of folders the
   * folder of that store. Clients are told of it as `persistence_dir`.
   */
  readonly persistenceDir: string;
  /** Absolute folders in or below which conversations may work. Default: anywhere. */
  readonly workspaceRoots?: readonly string[];
  /** Where conversations that ask for a worktree get one. */
  readonly worktrees?: WorktreeOptions;
  /** Builds the agents that clients describe, and those of stored conversations again. */
  readonly agents: AgentFactory;
  /** Encrypts what is secret at rest, and reads what clients send encrypted. Without one secrets are stored redacted. */
  readonly cipher?: Cipher;
  /** Makes the vault of each conversation. Without one nothing is masked and no conversation takes secrets. */
  readonly secrets?: SecretVaultFactory;
  /** Finds the analyzers that clients name. */
  readonly analyzers?: SecurityAnalyzerFactory;
  /** Builds the hooks that clients send. */
  readonly hooks?: HooksFactory;
  /** Names the addresses and the key files of this server; analyzers rate `HIGH` what uses them. Asked before each action. Default: nothing. */
  readonly protect?: () => ProtectedPlaces;
  /** Looks for loops. Without one none are found. */
  readonly stuckDetector?: StuckDetector;
  /**
   * Looks for loops as the creator of a conversation wants it, who sent this object of thresholds; throws for one that is none. Without
   * it such wishes are not heard.
   */
  readonly stuckDetectorWith?: (thresholds: JsonObject) => StuckDetector;
  /**
   * Makes what `ConversationSettings.setModel` takes of an LLM object of the wire, its secrets in the clear. What it rejects with the
   * client is told. Without it models cannot be switched.
   */
  readonly models?: (llm: JsonObject) => Promise<unknown>;
  /** What clients keep under names: models and agents. Without it a client that names one is told that there is none. */
  readonly profiles?: ServerProfiles;
  /** Makes a title from the first message of a user. Default: its beginning. What it throws is reported, and the beginning is taken. */
  readonly makeTitle?: MakeTitle;
  /** Followers of every conversation that is loaded, from its next event on. */
  readonly subscribers?: (conversationId: string) => readonly Subscriber[];
  /** Told of the beginning and the end of runs. */
  readonly runs?: RunObserver;
  /** How many runs may be on at the same time; more wait for their turn in order. Default 10. */
  readonly maxConcurrentRuns?: number;
  /** Milliseconds after which a conversation that nobody uses is let go. Default 20 minutes; `Infinity`: never. */
  readonly idleTimeout?: number;
  /** Milliseconds that a closing server gives runs to come to the end of a step, before it leaves them to the next one. Default 5000. */
  readonly handoverGrace?: number;
  /** Makes the server one of many on its store. Default: it is the only one that clients use. */
  readonly fleet?: FleetOptions;
  /** Told of what went wrong where no client waits for an answer. Default: a process warning. */
  readonly report?: (error: unknown, about: { readonly conversationId?: string; readonly doing: string }) => void;
}

/** What clients keep under names on this server. */
export interface ServerProfiles {
  /** The LLM object of this name, its secrets encrypted by the server's cipher or plain; `undefined` when there is none. */
  llm(name: string): Promise<JsonObject | undefined>;
  /**
   * The agent profile with this id as agent settings, and what the conversation is to say of where it comes from; `undefined` when
   * there is none.
   */
  agent(
    id: string,
  ): Promise<
    { readonly settings: JsonObject; readonly launched: { agent_profile_id: string; revision: number } } | undefined
  >;
}

/** Makes a title of at most 50 characters from the text of a message. */
export type MakeTitle = (
  message: string,
  options: { readonly conversationId: string; readonly profile: string | undefined; readonly signal: AbortSignal },
) => Promise<string>;
