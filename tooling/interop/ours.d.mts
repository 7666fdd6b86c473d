/**
 * Our side of the folder check: `ours.mjs` exports these functions, written against the built `@conv/*` packages and
 * never against the reference's files directly.
 */

/** What `reference.py describe` prints; README.md explains the fields. */
export interface Description {
  readonly id: string;
  readonly head: string | null;
  readonly event_count: number;
  readonly branch: readonly string[];
  readonly pending: readonly string[];
  readonly view: readonly string[];
  readonly condensation_requested: boolean;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly responses: {
    readonly instructions: string | null;
    readonly input: readonly Readonly<Record<string, unknown>>[];
  };
  readonly stats: {
    readonly accumulated_cost: number;
    readonly accumulated_token_usage: Readonly<Record<string, number>>;
  };
  readonly execution_status: string;
  readonly confirmation_policy: Readonly<Record<string, unknown>>;
  readonly security_analyzer: Readonly<Record<string, unknown>> | null;
  readonly max_iterations: number;
  readonly last_user_message_id: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly title: string | null;
  readonly secrets: {
    readonly llm_api_key: string | null;
    readonly registry: Readonly<Record<string, string | null>>;
  };
}

export interface Turn {
  /** The user's message. */
  readonly message: string;
  /** What the scripted model answers, as plain text, in one call. */
  readonly answer: string;
  readonly secretKey: string;
  /**
   * Called once, after the turn is durable and the compatible view is complete, before the folder is closed, with our
   * description at that moment. The reference reads the folder meanwhile. Its rejection must be passed on, after closing.
   */
  readonly whileOpen?: (described: Description) => Promise<void>;
}

/**
 * Opens the folder with our folder store, describes it and closes it. May take the folder over (import, `.conv/`), must not
 * add an event or run anything. Messages are those a model would get now, so an open batch of calls is left out.
 */
export function describe(folder: string, secretKey: string): Promise<Description>;

/** Opens the folder with our folder store, sends the message, runs until the agent stops, closes. No network. */
export function continueFolder(folder: string, turn: Turn): Promise<void>;

/**
 * Makes a conversation below the folder that shows the ratings of its calls as events, which OpenHands knows from 1.54 on. Resolves with its
 * folder.
 */
export function makeRatedFolder(parent: string): Promise<string>;

/** Our side of a folder that stays open. */
export interface HeldFolder {
  /** Resolves with the ids of all events, in order. */
  ids(): Promise<readonly string[]>;
  /** Adds a message of the user. Resolves with the ids of all events when the message is in OpenHands' files too. */
  say(message: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens the folder with our folder store and keeps it open. Nothing runs. */
export function holdFolder(
  folder: string,
  place: { readonly workspace: string; readonly secretKey: string },
): Promise<HeldFolder>;
