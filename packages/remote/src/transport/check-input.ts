import { checkOptionNames, ConversationError, type Limits, type OptionNames, wrongValue } from '@conv/core';

const TAG_KEY = /^[a-z0-9]+$/;
const MAX_TAG_LENGTH = 256;
const MAX_TITLE_LENGTH = 200;
const LIMITS: OptionNames<Limits> = { maxIterations: true, maxBudgetPerRun: true, maxBudget: true, toolTimeout: true };

/** Returns the tags if they keep the wire's rules; throws `INVALID_INPUT` with the name of the wrong tag. */
export function checkTags(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags))
    throw invalid(wrongValue('tags', "an object of texts, such as { team: 'search' }", tags));
  for (const [key, value] of Object.entries(tags)) {
    if (!TAG_KEY.test(key))
      throw invalid(
        `tags: expected keys of lower-case letters and digits, such as "team", found ${JSON.stringify(key)}`,
      );
    if (typeof value !== 'string' || value.length > MAX_TAG_LENGTH)
      throw invalid(wrongValue(`tags: ${key}`, `a text of at most ${MAX_TAG_LENGTH} characters`, value));
  }
  return { ...tags };
}

/** The title when it is text of the length that the wire allows; throws `INVALID_INPUT`. */
export function checkTitle(title: string): string {
  if (typeof title !== 'string' || title === '' || title.length > MAX_TITLE_LENGTH)
    throw invalid(wrongValue('title', `a text of 1 to ${MAX_TITLE_LENGTH} characters`, title));
  return title;
}

/** The limit when it is a positive whole number; throws `INVALID_INPUT`. */
export function checkMaxIterations(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw invalid(`maxIterations: expected a positive whole number, found ${JSON.stringify(limit)}`);
}

/** The limits that are named, when they are in their ranges; throws `INVALID_INPUT`. */
export function checkLimits(limits: Partial<Limits>): Partial<Limits> {
  if (typeof limits !== 'object' || limits === null)
    throw invalid(wrongValue('limits', 'an object such as { maxIterations: 50 }', limits));
  checkOptionNames('limits', limits, LIMITS, invalid);
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined || (value === null && name !== 'maxIterations')) continue;
    if (name === 'maxIterations') checkMaxIterations(value as number);
    else if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value))
      throw invalid(`${name}: expected a number above 0 or null, found ${JSON.stringify(value)}`);
  }
  return limits;
}

/** Milliseconds above 0, or the default; throws `INVALID_INPUT`. */
export function checkTime(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value > 0) return value;
  throw invalid(`${name}: expected a number of milliseconds above 0, found ${JSON.stringify(value)}`);
}

/** The error for an argument that is wrong. */
export function invalid(message: string, cause?: unknown): ConversationError {
  return new ConversationError('INVALID_INPUT', message, cause === undefined ? undefined : { cause });
}
