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

/**
 * Options of the conversations of a server. The server depends on interfaces alone; the application chooses their
 * implementations.
 */
export interface HostOptions {
  /** The store of the conversations. The caller closes it, after the server. */
  readonly store: ConversationStore;
  /**
   * The folder under which each conversation has one for its side files, named by its id without dashes; for a store of folders the
   * folder of that store. Clients are told of it as `persistence_dir`.
   */
  readonly persistenceDir: string;
  /** Absolute folders in or below which conversations may work. Default: anywhere. */
  readonly workspaceRoots?: readonly string[];
  /** Options of the worktrees for conversations that ask for one. */
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
   * Makes a loop detector with the thresholds that the creator of a conversation sent. Throws for invalid thresholds. Without it
   * such
   * thresholds are ignored.
   */
  readonly stuckDetectorWith?: (thresholds: JsonObject) => StuckDetector;
  /**
   * Makes what `ConversationSettings.setModel` takes of an LLM object of the wire, its secrets in the clear. What it rejects with the
   * client is told. Without it models cannot be switched.
   */
  readonly models?: (llm: JsonObject) => Promise<unknown>;
  /** Models and agents that clients store under names. Without it a client that names one is told that it does not exist. */
  readonly profiles?: ServerProfiles;
  /** Makes a title from the first message of a user. Default: its beginning. What it throws is reported, and the beginning is taken. */
  readonly makeTitle?: MakeTitle;
  /** Followers of every conversation that is loaded, from its next event on. */
  readonly subscribers?: (conversationId: string) => readonly Subscriber[];
  /** Told of the beginning and the end of runs. */
  readonly runs?: RunObserver;
  /** Maximum number of concurrent runs; further runs wait for their turn in order. Default 10. */
  readonly maxConcurrentRuns?: number;
  /** Milliseconds after which an idle conversation is unloaded. Default 20 minutes; `Infinity`: never. */
  readonly idleTimeout?: number;
  /** Milliseconds that a closing server gives runs to come to the end of a step, before it leaves them to the next one. Default 5000. */
  readonly handoverGrace?: number;
  /** Makes the server one of many on its store. Default: it is the only server that clients use. */
  readonly fleet?: FleetOptions;
  /** Told of what went wrong where no client waits for an answer. Default: a process warning. */
  readonly report?: (error: unknown, about: { readonly conversationId?: string; readonly doing: string }) => void;
}

/** Models and agents that clients store under names on this server. */
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
