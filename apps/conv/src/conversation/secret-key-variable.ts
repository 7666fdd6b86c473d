import process from 'node:process';

/** The variable that OpenHands takes its key from, so that its server reads what this program encrypts. */
export const KEY_VARIABLE = 'OH_SECRET_KEY';

/** Returns the key of stored keys and secrets; empty if there is none. */
export function secretKey(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment[KEY_VARIABLE] ?? '';
}
