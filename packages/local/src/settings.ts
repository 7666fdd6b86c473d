import {
  ConversationError,
  parseConfirmationPolicy,
  type ConversationSettings,
  type ConversationState,
  type JsonObject,
  type Limits,
  type MissingSecret,
  type SecretDescription,
  type SecretUpdate,
  type SecurityAnalyzer,
} from '@conv/core';

const TAG_KEY = /^[a-z0-9]+$/;
const MAX_TAG_LENGTH = 256;
const MAX_TITLE_LENGTH = 200;

/** Settings of a local conversation: each change is one commit. */
export class LocalSettings implements ConversationSettings {
  readonly #state: ConversationState;

  constructor(state: ConversationState) {
    this.#state = state;
  }

  async setConfirmationPolicy(policy: JsonObject): Promise<void> {
    await this.#state.update({ set: { confirmationPolicy: { ...parseConfirmationPolicy(policy) }, damaged: false } });
  }

  async setSecurityAnalyzer(analyzer: JsonObject | SecurityAnalyzer | null): Promise<void> {
    await this.#state.update({ set: { securityAnalyzer: checkAnalyzer(describeAnalyzer(analyzer)) } });
  }

  async setLimits(limits: Partial<Limits>): Promise<void> {
    await this.#state.update({ set: checkLimits(limits) });
  }

  async setStuckDetection(on: boolean): Promise<void> {
    if (typeof on !== 'boolean') throw invalid('stuck detection is on or off: true or false');
    await this.#state.update({ set: { stuckDetection: on } });
  }

  async updateSecrets(_secrets: SecretUpdate): Promise<void> {
    throw new ConversationError('UNSUPPORTED', 'this runtime was given no vault for secrets');
  }

  get secrets(): readonly SecretDescription[] {
    return [];
  }

  get missingSecrets(): readonly MissingSecret[] {
    return [];
  }

  async setTags(tags: Readonly<Record<string, string>>): Promise<void> {
    await this.#state.update({ set: { tags: checkTags(tags) } });
  }

  async setTitle(title: string | null): Promise<void> {
    await this.#state.update({ set: { title: title === null ? null : checkTitle(title) } });
  }
}

/** The tags when they keep the wire's rules; throws `INVALID_INPUT` naming the one that does not. */
export function checkTags(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags))
    throw invalid('tags must be an object of texts');
  for (const [key, value] of Object.entries(tags)) {
    if (!TAG_KEY.test(key)) throw invalid(`tag key ${JSON.stringify(key)} must match ${TAG_KEY.source}`);
    if (typeof value !== 'string' || value.length > MAX_TAG_LENGTH) {
      throw invalid(`the value of tag ${key} must be text of at most ${MAX_TAG_LENGTH} characters`);
    }
  }
  return { ...tags };
}

/** The limit when it is a positive whole number; throws `INVALID_INPUT`. */
export function checkMaxIterations(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1)
    throw invalid(`maxIterations must be a positive whole number, not ${String(limit)}`);
  return limit;
}

/** The limits that are named, when they are in their ranges; throws `INVALID_INPUT`. */
export function checkLimits({ maxIterations, ...others }: Partial<Limits>): Partial<Limits> {
  const named = Object.entries(others).filter(([, value]) => value !== undefined);
  for (const [name, value] of named) {
    const positive = typeof value === 'number' && value > 0 && Number.isFinite(value);
    if (value !== null && !positive) throw invalid(`${name} must be a number above 0 or null, not ${String(value)}`);
  }
  return {
    ...(maxIterations === undefined ? {} : { maxIterations: checkMaxIterations(maxIterations) }),
    ...Object.fromEntries(named),
  };
}

function describeAnalyzer(analyzer: JsonObject | SecurityAnalyzer | null): JsonObject | null {
  const isOwn = analyzer !== null && typeof analyzer === 'object' && typeof analyzer['describe'] === 'function';
  return isOwn ? (analyzer as SecurityAnalyzer).describe() : (analyzer as JsonObject | null);
}

/** The analyzer when its description names a kind; throws `INVALID_INPUT`. */
export function checkAnalyzer(analyzer: JsonObject | null): JsonObject | null {
  if (analyzer !== null && typeof analyzer?.['kind'] !== 'string') throw invalid('a security analyzer needs a kind');
  return analyzer;
}

/** The title when it is text of the length that the wire allows; throws `INVALID_INPUT`. */
export function checkTitle(title: string): string {
  if (typeof title !== 'string' || title === '' || title.length > MAX_TITLE_LENGTH)
    throw invalid(`a title must be text of 1 to ${MAX_TITLE_LENGTH} characters`);
  return title;
}

/** The error for an argument that is wrong. */
export function invalid(message: string): ConversationError {
  return new ConversationError('INVALID_INPUT', message);
}
