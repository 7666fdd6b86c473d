import { describeValue } from '@conv/core';

/** The beginnings of what `pg` reads as an address of PostgreSQL: a URL, or the folder of a socket. `pg` takes any other text for the address of something on this machine. */
const ADDRESS = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i;

/** Throws `TypeError` unless a text can be an address of a database. Does not repeat it, because it may hold a password. */
export function checkConnectionString(place: string, given: unknown): void {
  if (typeof given === 'string' && ADDRESS.test(given)) return;
  const found =
    typeof given === 'string' && given !== '' ? 'text that does not begin with postgres://' : describeValue(given);
  throw new TypeError(`${place}: expected text such as 'postgres://user:password@host:5432/database', found ${found}`);
}
