import type {
  ConfirmationPolicyInput,
  Conversation,
  ConversationFeatures,
  SecretUpdate,
  SecurityAnalyzerDescription,
} from '@conv/core';
import type { ClientToolInput, Tool } from '@conv/core/tool';
import type { ConformanceCase } from '../conformance-case.ts';
import { DEFAULT_PATIENCE, within } from '../patience.ts';
import type { ModelTurn } from './model-script.ts';

/** What a conversation under test is made of. */
export interface ConversationScript {
  /** What the model answers, request by request. The harness makes a model server or an agent of it. */
  readonly turns: readonly ModelTurn[];
  /** Beside `finish` and `think`, which every agent has. */
  readonly tools?: readonly Tool[];
  /**
   * Given with the agent to the program that opens the conversation, which carries them out; where the agent runs elsewhere it has
   * none of them there. Left out where {@link ConversationSuiteFeatures.ownTools} is not set.
   */
  readonly ownTools?: readonly Tool[];
  /** How many calls may run at the same time. Default 1. */
  readonly toolConcurrency?: number;
  /** Left out where {@link ConversationSuiteFeatures.clientTools} is not set. */
  readonly clientTools?: readonly ClientToolInput[];
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  readonly securityAnalyzer?: SecurityAnalyzerDescription;
  readonly maxIterations?: number;
  readonly secrets?: SecretUpdate;
}

/** A new conversation in a runtime of its own, and what else a case needs. */
export interface ConversationUnderTest {
  readonly conversation: Conversation;
  /** Closes the conversation and opens it again; the script goes on. */
  readonly reopen: () => Promise<Conversation>;
  /** Opens another conversation of the same runtime, a fork. */
  readonly open: (id: string) => Promise<Conversation>;
  /**
   * Ends whoever holds the conversation without a chance to write another byte, as a killed process does, and opens it
   * again. Left out where there is no way to bring it about.
   */
  readonly kill?: (() => Promise<Conversation>) | undefined;
  /** Makes another model for `settings.setModel`, which answers with these turns. Left out where that is not possible. */
  readonly model?: ((turns: readonly ModelTurn[]) => unknown) | undefined;
  /** How often the model was asked that the conversation was made with. */
  readonly modelRequests: () => number;
  /** Closes what is open and removes what is stored. */
  readonly dispose: () => Promise<void>;
}

/** What decides whether a case applies to a runtime. */
export interface ConversationSuiteFeatures extends ConversationFeatures {
  /** The harness has {@link ConversationUnderTest.kill}. */
  readonly kill: boolean;
  /** Runs go on by themselves when the process that worked on them has ended, as on a server. Default `false`: they come to rest. */
  readonly keepsRuns?: boolean;
  /** The runtime has a vault for secrets. Default `false`. */
  readonly secrets?: boolean;
  /** Analyzers that the runtime does not know are taken, and cannot be asked. Default `true`; else they are refused. */
  readonly unknownAnalyzers?: boolean;
  /** The runtime looks for loops. Default `false`. */
  readonly stuckDetection?: boolean;
  /** The harness has {@link ConversationUnderTest.model}. Default `false`. */
  readonly models?: boolean;
  /** The agent has a condenser that takes requests; its summaries are texts of the script. Default `false`. */
  readonly condenser?: boolean;
  /** The agent judges goals: what it says is JSON of the script, `{ score, complete, missing }`. Default `false`. */
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

/** What a case of the conversation suite is given. */
export interface ConversationSuiteContext {
  /** Makes a conversation of its own, whose model follows the script. */
  readonly make: (script: ConversationScript) => Promise<ConversationUnderTest>;
  /** Milliseconds to wait for what must come. Default 4000. */
  readonly patience?: number;
}

/** One behaviour that conversations have in every runtime. */
export type ConversationConformanceCase = ConformanceCase<ConversationSuiteFeatures, ConversationSuiteContext>;

/** Makes conversations for one case, and is patient. */
export interface ConversationBench {
  readonly make: (script: ConversationScript) => Promise<ConversationUnderTest>;
  readonly patiently: <T>(what: string, promise: Promise<T>) => Promise<T>;
}

/** A case; what it makes is disposed of afterwards. */
export function conversationCase(
  name: string,
  run: (bench: ConversationBench) => Promise<void>,
  when?: (features: ConversationSuiteFeatures) => boolean,
): ConversationConformanceCase {
  return {
    name,
    ...(when ? { when } : {}),
    run: async ({ make, patience = DEFAULT_PATIENCE }) => {
      const made: ConversationUnderTest[] = [];
      const keep = async (script: ConversationScript): Promise<ConversationUnderTest> => {
        const under = await make(script);
        made.push(under);
        return under;
      };
      try {
        await run({ make: keep, patiently: (what, promise) => within(patience, what, promise) });
      } finally {
        for (const under of made) await under.dispose();
      }
    },
  };
}
