import { createHash } from 'node:crypto';

const LONGEST = 64;
const DIGEST = 8;

/**
 * What the model calls a tool by: the name that the server gave, behind the server's own name and `_` when there are several
 * servers. A name that models cannot say gets `_` for each character that is not allowed, and for what makes it unlike others
 * the first 8 hex digits of the SHA-256 of the whole name.
 */
export function toolName(name: string, server?: string): string {
  const whole = server === undefined ? name : `${server}_${name}`;
  const allowed = whole.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
  if (allowed === whole && whole.length <= LONGEST && whole.length > 0) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, DIGEST);
  return `${allowed.slice(0, LONGEST - DIGEST - 1)}_${digest}`;
}
