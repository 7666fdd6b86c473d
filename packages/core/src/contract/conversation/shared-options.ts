import type { Limits } from '../state/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import type { OptionNames } from '../settings-input/check-option-names.ts';
import type { ConfirmationPolicyInput } from '../state/stored-policy.ts';
import type { SecretUpdate } from '../safeguards/secret-vault.ts';
import type { SecurityAnalyzer } from '../safeguards/security-analyzer.ts';
import type { SecurityAnalyzerDescription } from '../state/stored-analyzer.ts';
import type { ClientToolInput } from '../state/client-tool-spec.ts';
import { LIMIT_NAMES } from './check-settings.ts';
import type { Subscriber, Visualizer } from './subscriber.ts';

/**
 * The options that mean the same in every runtime. Given options override the stored settings; defaults never do. Limits: 500
 * model responses per run, and no limit of money or time.
 */
export interface SharedOptions extends Partial<Limits> {
  /** The conversation's UUID. Default: a new UUID. */
  readonly id?: string;
  /** Creation. `never`: reject `NOT_FOUND` when the conversation is missing; `must`: reject `EXISTS` when it exists. Default `ifMissing`. */
  readonly create?: 'never' | 'ifMissing' | 'must';
  /** Gives times, timers and ids, also to children. Default: the platform of the host, or of the remote workspace. */
  readonly platform?: Platform | undefined;
  /** True if the runtime's detector looks for loops. Default `true`. */
  readonly stuckDetection?: boolean;
  /** The confirmation policy as the wire describes it. Default `{ kind: 'NeverConfirm' }`. */
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  /**
   * The analyzer as the wire describes it, or the caller's own; `null` removes it. A local conversation needs the caller's own
   * again on resume; a server receives its description. Default `null`.
   */
  readonly securityAnalyzer?: SecurityAnalyzer | SecurityAnalyzerDescription | null;
  /**
   * Secrets to add, replace or, with `null`, remove. Rejects `UNSUPPORTED` for a local runtime without a vault. A server takes
   * values and addresses to look them up at, no functions.
   */
  readonly secrets?: SecretUpdate;
  /**
   * Tools that the caller declares and executes. A local conversation keeps its client tools and appends new ones; a tool that is
   * given again must have the same parameters. A server takes them with a new conversation alone, and rejects `UNSUPPORTED` for
   * `answers: 'caller'` unless it has `features.answerCall`. Default none.
   */
  readonly clientTools?: readonly ClientToolInput[];
  /** Keys `[a-z0-9]+`, values up to 256 characters. Replaces all. Default none. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly title?: string;
  /** The parent conversation in the same store or server. The new conversation is never less strict than its parent. */
  readonly parentId?: string;
  /** Subscribers that follow the conversation from its next event on. */
  readonly subscribers?: readonly Subscriber[];
  /** A visualizer, its class, or `null` for none. Closed with the conversation. Default none. */
  readonly visualizer?: Visualizer | (new () => Visualizer) | null;
  /** Milliseconds that the end of a run waits for subscribers. Default 1000. */
  readonly subscriberGrace?: number;
  /** Aborting rejects the opening with `signal.reason`; it has no effect after that. */
  readonly signal?: AbortSignal;
}

/** The names of {@link SharedOptions}. */
export const SHARED_OPTIONS: OptionNames<SharedOptions> = {
  id: true,
  create: true,
  platform: true,
  ...LIMIT_NAMES,
  stuckDetection: true,
  confirmationPolicy: true,
  securityAnalyzer: true,
  secrets: true,
  clientTools: true,
  tags: true,
  title: true,
  parentId: true,
  subscribers: true,
  visualizer: true,
  subscriberGrace: true,
  signal: true,
};
