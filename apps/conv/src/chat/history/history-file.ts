import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Characters of the name of a file. */
const LENGTH = 16;

/**
 * Returns the input history file of the chats of a store or a server: one per address, in the user's state folder. Its name does
 * not reveal the address.
 */
export function historyFileFor(address: string, environment: NodeJS.ProcessEnv = process.env): string {
  const name = createHash('sha256').update(address).digest('hex').slice(0, LENGTH);
  return join(stateFolder(environment), 'conv', 'history', `${name}.jsonl`);
}

function stateFolder({ XDG_STATE_HOME: state, LOCALAPPDATA: local }: NodeJS.ProcessEnv): string {
  if (state !== undefined && state !== '') return state;
  if (process.platform === 'win32' && local !== undefined && local !== '') return local;
  return join(homedir(), '.local', 'state');
}
