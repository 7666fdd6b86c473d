import { dirname, join } from 'node:path';

import { defaultStoreAddress } from '@conv/stores';

/**
 * Returns the folder of the logins at MCP servers: `logins` beside this user's own store. They belong to the user and not to a store, so every
 * conversation on this machine has them.
 */
export function loginsFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(dirname(defaultStoreAddress(environment).slice('fs:'.length)), 'logins');
}
