import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';

/**
 * The address of this user's own store, a folder that is the same from every working folder: `conv/conversations` below `XDG_DATA_HOME`,
 * else below `LOCALAPPDATA` on Windows, else below `~/.local/share`. The store makes the folder, private to the user. Relative paths in
 * the variables are ignored, as the XDG rules say.
 */
export function defaultStoreAddress(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_DATA_HOME: data = '', LOCALAPPDATA: local = '' } = environment;
  const fallback = platform === 'win32' && isAbsolute(local) ? local : join(homedir(), '.local', 'share');
  return `fs:${join(isAbsolute(data) ? data : fallback, 'conv', 'conversations')}`;
}
