import {
  checkOptionNames,
  ConversationError,
  type Hooks,
  type JsonObject,
  type Limits,
  type OptionNames,
  type SecurityAnalyzer,
  type SecurityAnalyzerInput,
  wrongValue,
} from '@conv/core';

const TAG_KEY = /^[a-z0-9]+$/;
const MAX_TAG_LENGTH = 256;
/** Maximal characters of a title. */
export const MAX_TITLE_LENGTH = 200;

/** Returns the tags if they follow the rules of the wire; throws `INVALID_INPUT` that names the wrong tag. */
export function checkTags(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags))
    throw invalid(wrongValue('tags', "an object of texts, such as { team: 'search' }", tags));
  for (const [key, value] of Object.entries(tags)) {
    if (!TAG_KEY.test(key))
      throw invalid(
        `tags: expected keys of lower-case letters and digits, such as "team", found ${JSON.stringify(key)}`,
      );
    if (typeof value !== 'string' || value.length > MAX_TAG_LENGTH) {
      throw invalid(wrongValue(`tags: ${key}`, `a text of at most ${MAX_TAG_LENGTH} characters`, value));
    }
  }
  return { ...tags };
}

/** Returns the limit if it is a positive whole number; throws `INVALID_INPUT`. */
export function checkMaxIterations(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1)
    throw invalid(`maxIterations: expected a positive whole number, found ${JSON.stringify(limit)}`);
  return limit;
}

const LIMIT_NAMES: OptionNames<Limits> = {
  maxIterations: true,
  maxBudgetPerRun: true,
  maxBudget: true,
  toolTimeout: true,
};

const OTHER_LIMITS = ['maxBudgetPerRun', 'maxBudget', 'toolTimeout'] as const;

/** Returns the given limits if they are in their ranges; throws `INVALID_INPUT`. */
export function checkLimits(limits: Partial<Limits>): Partial<Limits> {
  if (typeof limits !== 'object' || limits === null)
    throw invalid(wrongValue('limits', 'an object such as { maxIterations: 50 }', limits));
  const checked: { -readonly [Name in keyof Limits]?: Limits[Name] } = {};
  if (limits.maxIterations !== undefined) checked.maxIterations = checkMaxIterations(limits.maxIterations);
  for (const name of OTHER_LIMITS) {
    const value = limits[name];
    if (value === undefined) continue;
    const positive = typeof value === 'number' && value > 0 && Number.isFinite(value);
    if (value !== null && !positive)
      throw invalid(`${name}: expected a number above 0 or null, found ${JSON.stringify(value)}`);
    checked[name] = value;
  }
  return checked;
}

/** Checks the names of limits, because a misspelt limit would have no effect. Throws `INVALID_INPUT`. */
export function checkLimitNames(limits: object): void {
  checkOptionNames('limits', limits, LIMIT_NAMES, invalid);
}

/** The stored description of an analyzer, and the caller's own analyzer if it is the caller's. */
export interface GivenAnalyzer {
  readonly description: JsonObject | null;
  readonly own: SecurityAnalyzer | undefined;
}

/** Returns the analyzer if it can rate actions or its description names a kind; throws `INVALID_INPUT`. */
export function checkAnalyzer(analyzer: SecurityAnalyzerInput | null): GivenAnalyzer {
  const own = isAnalyzer(analyzer) ? analyzer : undefined;
  const description = own ? own.describe() : (analyzer as JsonObject | null);
  if (description !== null && typeof description?.['kind'] !== 'string')
    throw invalid(
      wrongValue(
        'securityAnalyzer',
        "one such as patternSecurityAnalyzer(), { kind: 'LLMSecurityAnalyzer' } or null",
        analyzer,
      ),
    );
  return { description, own };
}

function isAnalyzer(value: unknown): value is SecurityAnalyzer {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'describe' in value &&
    typeof value.describe === 'function' &&
    'assess' in value &&
    typeof value.assess === 'function'
  );
}

/** Returns the title if it is text of a length that the wire allows; throws `INVALID_INPUT`. */
export function checkTitle(title: string): string {
  if (typeof title !== 'string' || title === '' || title.length > MAX_TITLE_LENGTH)
    throw invalid(wrongValue('title', `a text of 1 to ${MAX_TITLE_LENGTH} characters`, title));
  return title;
}

/** Returns the error for a wrong argument. */
export function invalid(message: string): ConversationError {
  return new ConversationError('INVALID_INPUT', message);
}

/** Returns the setting of the stuck detection; throws `INVALID_INPUT` unless it is a boolean. */
export function checkStuckDetection(on: boolean): boolean {
  if (typeof on !== 'boolean') throw invalid(wrongValue('stuckDetection', 'true or false', on));
  return on;
}

/** Returns the hooks if they can be started, `null` for none; throws `INVALID_INPUT`. */
export function checkHooks(hooks: Hooks | null): Hooks | null {
  if (hooks === null) return hooks;
  const usable = typeof hooks === 'object' && typeof hooks.start === 'function' && typeof hooks.config === 'object';
  if (!usable || hooks.config === null)
    throw invalid(wrongValue('hooks', 'createHooks({ preToolUse: [...] }), or null for none', hooks));
  return hooks;
}
