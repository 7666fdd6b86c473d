import { describeValue } from '@conv/core';

/** A prefix of addresses, which would become the name of a folder. A path may begin with `./file:`. */
const ADDRESS = /^(?:sqlite|file):/i;

/** Throws `TypeError` unless `file` can be the path of a database. `place`: the constructor that it was given to. */
export function checkFile(place: string, file: unknown): void {
  const found = wrongFile(file);
  if (found === undefined) return;
  throw new TypeError(
    `${place}: file: expected the path of a database file, such as 'conversations.db', found ${found}`,
  );
}

function wrongFile(file: unknown): string | undefined {
  if (typeof file !== 'string' || file === '') return describeValue(file);
  if (file === ':memory:') return "':memory:'; use a store or a registry in memory instead";
  const [address] = ADDRESS.exec(file) ?? [];
  return address && `an address; give the path without ${address}`;
}
