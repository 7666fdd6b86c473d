import { descriptionSecrets } from '@conv/openhands/descriptions';

import type { McpAuth, McpConfig, McpServerConfig, McpValues } from './mcp-config.ts';

const CREDENTIAL_NAME = /AUTH|COOKIE|CREDENTIAL|KEY|PASS|PWD|SECRET|SESSION|TOKEN|DSN|JWT/i;
// words, paths, numbers and versions: masking `production` or `application/json` would spoil ordinary text
const PLAIN_WORDS = /^(?:[\d.,:%]+|[a-z]*(?:[-_./, ;*@+][a-z]*)*)$/i;

/** Returns the values of a configuration that must never show: of variables, headers and credentials. */
export function configSecrets(config: McpConfig): readonly string[] {
  return [...new Set(Object.values(config).flatMap((server) => serverSecrets(server)))];
}

/** Returns the same for one server, whose references may have been replaced by values. */
export function serverSecrets({ env, headers, auth }: McpServerConfig): readonly string[] {
  const named = [...valuesOf(env), ...valuesOf(headers)]
    .filter(([name, value]) => CREDENTIAL_NAME.test(name) || !isPlain(descriptionSecrets.withoutReferences(value)))
    .flatMap(([, value]) => [value, ...credentialsIn(value)]);
  return [...named, ...authSecrets(auth)].filter((value) => value.length > 0 && !descriptionSecrets.isReference(value));
}

function authSecrets(auth: McpAuth | null | undefined): readonly string[] {
  if (!auth) return [];
  switch (auth.strategy) {
    case 'api_key':
    case 'bearer':
      return auth.value ? [auth.value] : [];
    case 'basic':
      return auth.password ? [auth.password, basicToken(auth.username, auth.password)] : [];
    case 'header':
      return valuesOf(auth.headers).flatMap(([, value]) => [value, ...credentialsIn(value)]);
    case 'oauth2':
      return textsIn([auth['authentication'], auth['state']]).filter((value) => !isPlain(value));
    case 'none':
      return [];
  }
}

function valuesOf(values: McpValues | null | undefined): readonly (readonly [string, string])[] {
  return Object.entries(values ?? {}).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** Returns the text after `Basic ` in a header with a name and a password. */
export function basicToken(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

// `Bearer abc`: the token is a secret without its scheme too
function credentialsIn(value: string): readonly string[] {
  const [, credentials] = /^[A-Za-z][A-Za-z0-9-]* +(\S+)$/.exec(value) ?? [];
  return credentials === undefined ? [] : [credentials];
}

function isPlain(value: string): boolean {
  if (PLAIN_WORDS.test(value)) return true;
  if (!URL.canParse(value)) return false;
  const { username, password, search, hash } = new URL(value);
  return username === '' && password === '' && search === '' && hash === '';
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
