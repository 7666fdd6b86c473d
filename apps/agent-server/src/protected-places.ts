import type { ProtectedPlaces } from '@conv/core';

import type { Configuration } from './configuration/effective-configuration.ts';
import { compiledCode } from './start/compiled-code.ts';

/**
 * Returns the server's own addresses, settings, keys and compiled code, which agents must not use. Analyzers rate actions on them `HIGH`.
 * @param ownUrl of this server; `undefined` before it listens
 */
export function protectedPlaces(
  { host, publicUrl, serverUrl, settingsFolder, ownFiles }: Configuration,
  ownUrl: string | undefined,
): ProtectedPlaces {
  const port = ownUrl === undefined ? undefined : new URL(ownUrl).port;
  const names = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', host.includes(':') ? `[${host}]` : host];
  const local = port === undefined ? [] : [...new Set(names)].map((name) => `http://${name}:${port}`);
  return {
    addresses: [...local, ...[publicUrl, serverUrl].filter((url) => url !== undefined)],
    paths: [settingsFolder, ...ownFiles, ...compiledCode()],
  };
}
