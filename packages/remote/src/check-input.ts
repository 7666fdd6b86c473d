import { ConversationError, type Limits } from '@conv/core';

const TAG_KEY = /^[a-z0-9]+$/;
const MAX_TAG_LENGTH = 256;
const MAX_TITLE_LENGTH = 200;
const LIMITS = ['maxIterations', 'maxBudgetPerRun', 'maxBudget', 'toolTimeout'] as const;

/** The tags when they keep the wire's rules; throws `INVALID_INPUT` naming the one that does not. */
export function checkTags(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags))
    throw invalid('tags must be an object of texts');
  for (const [key, value] of Object.entries(tags)) {
    if (!TAG_KEY.test(key)) throw invalid(`tag key ${JSON.stringify(key)} must match ${TAG_KEY.source}`);
    if (typeof value !== 'string' || value.length > MAX_TAG_LENGTH)
      throw invalid(`the value of tag ${key} must be text of at most ${MAX_TAG_LENGTH} characters`);
  }
  return { ...tags };
}

/** The title when it is text of the length that the wire allows; throws `INVALID_INPUT`. */
export function checkTitle(title: string): string {
  if (typeof title !== 'string' || title === '' || title.length > MAX_TITLE_LENGTH)
    throw invalid(`a title must be text of 1 to ${MAX_TITLE_LENGTH} characters`);
  return title;
}

/** The limit when it is a positive whole number; throws `INVALID_INPUT`. */
export function checkMaxIterations(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw invalid(`maxIterations must be a positive whole number, not ${String(limit)}`);
}

/** The limits that are named, when they are in their ranges; throws `INVALID_INPUT`. */
export function checkLimits(limits: Partial<Limits>): Partial<Limits> {
  if (typeof limits !== 'object' || limits === null) throw invalid('limits must be an object');
  for (const [name, value] of Object.entries(limits)) {
    if (!LIMITS.includes(name as keyof Limits)) throw invalid(`there is no limit ${JSON.stringify(name)}`);
    if (value === undefined || (value === null && name !== 'maxIterations')) continue;
    if (name === 'maxIterations') checkMaxIterations(value as number);
    else if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value))
      throw invalid(`${name} must be a number above 0 or null, not ${String(value)}`);
  }
  return limits;
}

/** Milliseconds above 0, or the default; throws `INVALID_INPUT`. */
export function checkTime(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value > 0) return value;
  throw invalid(`${name} must be a number of milliseconds above 0, not ${String(value)}`);
}

/** The error for an argument that is wrong. */
export function invalid(message: string, cause?: unknown): ConversationError {
  return new ConversationError('INVALID_INPUT', message, cause === undefined ? undefined : { cause });
}
