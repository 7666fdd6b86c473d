import type {
  AgentFactory,
  Cipher,
  ProtectedPlaces,
  JsonObject,
  SecretVaultFactory,
  StuckDetector,
  Subscriber,
  StoredAnalyzer,
  SecurityAnalyzer,
  StoredHooks,
  Hooks,
} from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';

import type { RunObserver } from './background-runs.ts';
import type { FleetOptions } from '../ownership/fleet-options.ts';
import type { RuntimesOptions } from './runtimes.ts';
import type { ServerPlugins } from './server-plugins.ts';
import type { UsageOptions } from '../usage/usage.ts';
import type { WorktreeOptions } from '../workspace/worktrees.ts';

/** Options of the conversations of a server, which depends on interfaces alone: the application chooses their implementations. */
export interface HostOptions {
  /** The store of the conversations. The caller closes it, after the server. */
  readonly store: ConversationStore;
  /**
   * The folder with one subfolder for the side files of each conversation, named by its id without dashes. For a store of
   * folders: the folder of that store. Clients see it as `persistence_dir`.
   */
  readonly persistenceDir: string;
  /** Absolute folders in or below which conversations may work. Default: anywhere. */
  readonly workspaceRoots?: readonly string[];
  /** Options of the worktrees for conversations that ask for one. */
  readonly worktrees?: WorktreeOptions;
  /** Where the tools of conversations act, which their clients may choose. Default: in this process. */
  readonly runtimes?: RuntimesOptions;
  /** Builds the agents that clients describe, and rebuilds those of stored conversations. */
  readonly agents: AgentFactory;
  /** Encrypts stored secrets, and decrypts secrets that clients send encrypted. Without it secrets are stored redacted. */
  readonly cipher?: Cipher;
  /** Makes the vault of each conversation. Without it nothing is masked and no conversation accepts secrets. */
  readonly secrets?: SecretVaultFactory;
  /** Finds the analyzers that clients name. */
  readonly analyzers?: (description: StoredAnalyzer) => SecurityAnalyzer | undefined;
  /**
   * Builds the hooks that clients send. `isExecuted`: the tools of the conversation act in an executor, and its hooks in this process all the same. An error is shown
   * to the client.
   */
  readonly hooks?: (config: StoredHooks, about: { readonly isExecuted: boolean }) => Hooks | undefined;
  /** Returns the addresses and key files of this server, before each action; analyzers rate actions on them `HIGH`. Default: none. */
  readonly protect?: () => ProtectedPlaces;
  /** Detects loops. Without it none are found. */
  readonly stuckDetector?: StuckDetector;
  /**
   * Makes a loop detector with the thresholds that the creator of a conversation sent. Throws for invalid thresholds. Without it
   * such thresholds are ignored.
   */
  readonly stuckDetectorWith?: (thresholds: JsonObject) => StuckDetector;
  /**
   * Makes the argument of `ConversationSettings.setModel` from an LLM object of the protocol, its secrets decrypted. A rejection
   * is shown to the client. Without it models cannot be switched.
   */
  readonly models?: (llm: JsonObject) => Promise<unknown>;
  /**
   * Skills and plugins: clients install them, and conversations get what is switched on. Default: conversations have what their
   * clients send, and plugins are refused.
   */
  readonly plugins?: ServerPlugins;
  /** Models and agents that clients store under names. Without it a client that names one is told that it does not exist. */
  readonly profiles?: ServerProfiles;
  /**
   * Makes the title of a conversation that names a profile for it. Default: the profile is ignored. An error is reported, and the title is the
   * beginning of the message.
   */
  readonly makeTitle?: MakeTitle;
  /**
   * True to let the agent's model make the title of other conversations from their first message, which costs a call. If the sender has a daily limit
   * and starts no run, it is not asked. Default: their title is the beginning of that message.
   */
  readonly titlesByAgents?: boolean;
  /** Followers of every conversation that is loaded, from its next event on. */
  readonly subscribers?: (conversationId: string) => readonly Subscriber[];
  /** Callbacks for the beginning and end of runs. */
  readonly runs?: RunObserver;
  /** Counts runs and costs of keys with daily limits. Default: such keys start no run. */
  readonly usage?: UsageOptions;
  /** Maximum number of concurrent runs; further runs wait for their turn in order. Default 10. */
  readonly maxConcurrentRuns?: number;
  /**
   * Milliseconds for which a call waits for a person; then it is rejected. A conversation that is not loaded at that moment does it when it
   * is loaded again. Default: calls wait without a limit.
   */
  readonly approvalTimeout?: number;
  /** Milliseconds after which an idle conversation is unloaded. Default 20 minutes; `Infinity`: never. */
  readonly idleTimeout?: number;
  /** Milliseconds that a closing server gives runs to finish a step, before it leaves them to the next server. Default 5000. */
  readonly handoverGrace?: number;
  /**
   * The reason why the server accepts no commands. With it every command is refused with 403 and this text, nothing is owned and
   * nothing is written: a conversation is read and followed as if another process had it. Default: commands are accepted.
   */
  readonly readOnly?: string;
  /** False to leave interrupted runs until a command loads their conversation. Default `true`: they continue at the start. */
  readonly restoreRuns?: boolean;
  /** Makes the server one of many on its store. Default: it is the only server that clients use. */
  readonly fleet?: FleetOptions;
  /** Clock, timers and ids, also of conversations. Default: those of the host. */
  readonly platform?: Platform | undefined;
  /** Receives errors for which no client waits. Default: a process warning. */
  readonly report?: (error: unknown, about: { readonly conversationId?: string; readonly doing: string }) => void;
}

/** Models and agents that clients store under names on this server. */
export interface ServerProfiles {
  /** Resolves with the LLM object of this name, its secrets encrypted or plain; `undefined` when there is none. */
  llm(name: string): Promise<JsonObject | undefined>;
  /**
   * Resolves with an LLM object that has the key and the address of the provider connection that it names. Rejects with an error of the status
   * 422 if there is no such connection. Default: objects are used as they are.
   */
  resolve?(llm: JsonObject): Promise<JsonObject>;
  /**
   * Resolves with the agent settings of this profile, and the metadata for its conversations; `undefined` when there is none. `llmProfile`: the name of
   * a model in the place of its own.
   */
  agent(
    id: string,
    options?: { readonly llmProfile?: string },
  ): Promise<
    | {
        readonly settings: JsonObject;
        readonly launched: LaunchedProfile;
        /** The names of the public skills that the agent has. Default: as its settings say. */
        readonly publicSkills?: readonly string[] | undefined;
        /** References of the profile that lead nowhere; with one of them no conversation starts. Default: none. */
        readonly unresolved?: UnresolvedReferences | undefined;
      }
    | undefined
  >;
}

/** References of an agent profile to objects that do not exist. */
export interface UnresolvedReferences {
  /** The name of its model; null: the model exists. */
  readonly llmProfile: string | null;
  readonly mcpServers: readonly string[];
  /** The name of the rules by which it chooses its model; null: they exist, or it has none. */
  readonly metaProfile: string | null;
  /** The models that these rules name. */
  readonly metaModels: readonly string[];
}

/** Metadata about the agent profile that a conversation was started with. */
export interface LaunchedProfile {
  readonly agent_profile_id: string;
  readonly revision: number;
  /** The names of the secrets that the agent may have. Default: all. */
  readonly secret_refs?: readonly string[];
  /** The LLM profile that the request named. Default: that of the agent profile. */
  readonly llm_profile_ref?: string;
}

/**
 * Makes a title of at most 50 characters from the text of a message. Resolves with `undefined` if there is no such profile: then the model of the
 * agent makes the title.
 */
export type MakeTitle = (
  message: string,
  options: {
    readonly conversationId: string;
    readonly profile: string;
    /** Request to the model by the creator of the conversation; see `titleFor` of `@conv/agent`. */
    readonly prompt?: string;
    readonly signal: AbortSignal;
  },
) => Promise<string | undefined>;
