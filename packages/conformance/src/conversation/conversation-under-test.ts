import type {
  ConfirmationPolicyInput,
  Conversation,
  ConversationFeatures,
  SecretUpdate,
  SecurityAnalyzerDescription,
} from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { ClientToolInput, Tool } from '@conv/core/tool';
import type { ConformanceCase } from '../conformance-case.ts';
import { DEFAULT_TIMEOUT, within } from '../wait-timeout.ts';
import type { ModelTurn } from './model-script.ts';

/** The script of a conversation under test: the answers of its model, its tools and its settings. */
export interface ConversationScript {
  /** The answers of the model, in the order of its requests. The harness makes a model server or an agent of them. */
  readonly turns: readonly ModelTurn[];
  /** Tools beside `finish` and `think`, which every agent has. */
  readonly tools?: readonly Tool[];
  /**
   * Tools that the program which opens the conversation executes itself, given with the agent. An agent that runs
   * elsewhere does not have them there. Left out where {@link ConversationSuiteFeatures.ownTools} is not set.
   */
  readonly ownTools?: readonly Tool[];
  /** The highest number of calls that run at the same time. Default 1. */
  readonly toolConcurrency?: number;
  /** Tools that a client answers. Left out where {@link ConversationSuiteFeatures.clientTools} is not set. */
  readonly clientTools?: readonly ClientToolInput[];
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  readonly securityAnalyzer?: SecurityAnalyzerDescription;
  readonly maxIterations?: number;
  readonly secrets?: SecretUpdate;
}

/** A new conversation in a runtime of its own, with the helpers that a case needs. */
export interface ConversationUnderTest {
  readonly conversation: Conversation;
  /** Closes the conversation and opens it again; the script continues. */
  readonly reopen: () => Promise<Conversation>;
  /** Opens another conversation of the same runtime, a fork. */
  readonly open: (id: string) => Promise<Conversation>;
  /**
   * Ends the owner of the conversation without a chance to write another byte, as a killed process ends, and opens the
   * conversation again. Left out where the harness has no way to do this.
   */
  readonly kill?: (() => Promise<Conversation>) | undefined;
  /** Makes another model for `settings.setModel` with these answers. Left out where the harness cannot make one. */
  readonly model?: ((turns: readonly ModelTurn[]) => unknown) | undefined;
  /** Returns the number of requests to the model that the conversation was made with. */
  readonly modelRequests: () => number;
  /** Closes what is open and removes what is stored. */
  readonly dispose: () => Promise<void>;
}

/** The features that decide which cases apply to a runtime. */
export interface ConversationSuiteFeatures extends ConversationFeatures {
  /** The harness has {@link ConversationUnderTest.kill}. */
  readonly kill: boolean;
  /** Runs continue after their process has ended, as on a server. Default `false`: interrupted runs are settled. */
  readonly keepsRuns?: boolean;
  /** The runtime has a vault for secrets. Default `false`. */
  readonly secrets?: boolean;
  /** The runtime takes analyzers that it does not know, and cannot ask them. Default `true`; else it refuses them. */
  readonly unknownAnalyzers?: boolean;
  /** The runtime looks for loops. Default `false`. */
  readonly stuckDetection?: boolean;
  /** The harness has {@link ConversationUnderTest.model}. Default `false`. */
  readonly models?: boolean;
  /** The agent has a condenser that takes requests; its summaries are texts of the script. Default `false`. */
  readonly condenser?: boolean;
  /** The agent judges goals: its verdict is JSON of the script, `{ score, complete, missing }`. Default `false`. */
  readonly goals?: boolean;
  /** The agent makes titles, which are texts of the script. Default `false`. */
  readonly titles?: boolean;
  /** The harness makes an agent that keeps to {@link ConversationScript.toolConcurrency}. Default `false`. */
  readonly toolConcurrency?: boolean;
  /** The harness hands on {@link ConversationScript.clientTools}. Default `false`. */
  readonly clientTools?: boolean;
  /** The harness hands on {@link ConversationScript.ownTools}. Default `false`. */
  readonly ownTools?: boolean;
}

/** The context of a case of the conversation suite. */
export interface ConversationSuiteContext {
  /** Makes a conversation of its own, whose model follows the script. */
  readonly make: (script: ConversationScript) => Promise<ConversationUnderTest>;
  /** Milliseconds to wait for what must come. Default 4000. */
  readonly waitTimeout?: number;
  /** Gives the case its times, timers and ids, such as those of a simulation. Default: the platform of the host. */
  readonly platform?: Platform;
}

/** A behaviour of conversations in every runtime. */
export type ConversationConformanceCase = ConformanceCase<ConversationSuiteFeatures, ConversationSuiteContext>;

/** Makes conversations for one case, and waits for promises with a time limit. */
export interface ConversationBench {
  readonly make: (script: ConversationScript) => Promise<ConversationUnderTest>;
  readonly platform: Platform;
  readonly patiently: <T>(what: string, promise: Promise<T>) => Promise<T>;
}

/** Makes a case that disposes of its conversations at its end. */
export function conversationCase(
  name: string,
  run: (bench: ConversationBench) => Promise<void>,
  when?: (features: ConversationSuiteFeatures) => boolean,
): ConversationConformanceCase {
  return {
    name,
    when,
    run: async ({ make, waitTimeout = DEFAULT_TIMEOUT, platform = systemPlatform }) => {
      const made: ConversationUnderTest[] = [];
      const keep = async (script: ConversationScript): Promise<ConversationUnderTest> => {
        const under = await make(script);
        made.push(under);
        return under;
      };
      try {
        await run({
          make: keep,
          platform,
          patiently: (what, promise) => within(platform, waitTimeout, what, promise),
        });
      } finally {
        for (const under of made) await under.dispose();
      }
    },
  };
}
