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
  const allowed = withAllowed(whole);
  if (allowed === whole && whole.length <= LONGEST && whole.length > 0) return whole;
  return marked(allowed, whole);
}

/**
 * A name for a tool whose usual one is another's: the first of these that is free. What the model calls it by with the name of its
 * server, and that with the first 8 hex digits of the SHA-256 of both names, which no other tool has.
 */
export function otherNames(name: string, server: string): readonly string[] {
  return [toolName(name, server), marked(withAllowed(`${server}_${name}`), JSON.stringify([server, name]))];
}

function withAllowed(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}

function marked(name: string, whole: string): string {
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, DIGEST);
  return `${name.slice(0, LONGEST - DIGEST - 1)}_${digest}`;
}
