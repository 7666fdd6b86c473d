import process from 'node:process';

import { loginRecords } from '@conv/server/records';

import type { Sources } from '../configuration/read-configuration.ts';
import { withRegistry } from './with-registry.ts';

/** Opens nothing, because a login is forgotten without being read. */
const NO_CIPHER = { encrypt: (text: string) => text, decrypt: () => undefined };

/** Removes the logins of all people at MCP servers, and prints how many there were. */
export async function forgetLogins(options: Sources['options']): Promise<void> {
  await withRegistry(options, async (registry) => {
    const records = loginRecords(registry, NO_CIPHER);
    let count = 0;
    for (const name of await records.names()) if (await isForgotten(records, name)) count++;
    process.stdout.write(
      `Removed ${count} ${count === 1 ? 'login' : 'logins'}. MCP servers ask for those that are used again.\n`,
    );
  });
}

/** Resolves with false if there is no such login any more. A running server may renew it meanwhile. */
async function isForgotten(records: ReturnType<typeof loginRecords>, name: string): Promise<boolean> {
  for (;;) {
    const record = await records.get(name);
    if (!record) return false;
    if (await records.replace(name, undefined, record.version)) return true;
  }
}
