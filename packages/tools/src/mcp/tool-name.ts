import { createHash } from 'node:crypto';

const LONGEST = 64;
const DIGEST = 8;

/**
 * Returns the name by which the model calls a tool: the server's name for it, with the server's own name and `_` in
 * front if there are several servers. In a name that models cannot use, each character that is not allowed becomes `_`,
 * and the first 8 hex digits of the SHA-256 of the whole name follow, which make it unique.
 */
export function toolName(name: string, server?: string): string {
  const whole = server === undefined ? name : `${server}_${name}`;
  const allowed = withAllowed(whole);
  if (allowed === whole && whole.length <= LONGEST && whole.length > 0) return whole;
  return marked(allowed, whole);
}

/**
 * Lists names for a tool whose usual name is taken; the first free one is used. They are its name with its server's
 * name in front, and the same with the first 8 hex digits of the SHA-256 of both names, which no other tool has.
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
