import { errorText } from '@conv/core';
import type { pluginRoutes } from '@conv/openhands/rest';

import type { RefusedInstallation, ServerPlugins } from '../hosting/server-plugins.ts';
import { ApiError } from '../http/api-error.ts';

type FetchRequest = NonNullable<(typeof pluginRoutes.fetch)['body']>['_output'];
type FetchAnswer = Extract<(typeof pluginRoutes.fetch)['answer'], { readonly _output: unknown }>['_output'];

/** Statuses and codes of OpenHands' server by the reason of the refusal. */
const REFUSALS: Readonly<Record<RefusedInstallation, readonly [status: number, code: string]>> = {
  INVALID_SOURCE: [422, 'invalid_source'],
  FETCH_FAILED: [502, 'source_unavailable'],
  TOO_LARGE: [422, 'invalid_plugin'],
  INVALID: [422, 'invalid_plugin'],
  EXISTS: [422, 'invalid_plugin'],
  DAMAGED: [422, 'invalid_plugin'],
};

const PLACEHOLDER = /\$\{([A-Za-z_]\w*)\}/g;

/** Fetches a plugin for a client that looks at it. Rejects {@link ApiError} 422 and 502 with a code, and repeats no secret. */
export async function fetchPlugin(
  plugins: ServerPlugins,
  { source, ref, repo_path, secrets, timeout }: FetchRequest,
): Promise<FetchAnswer> {
  const used = new Set<string>();
  const filled = (text: string): string =>
    text.replaceAll(PLACEHOLDER, (_, name: string) => {
      const secret = secrets[name];
      const value = secret && 'value' in secret && typeof secret.value === 'string' ? secret.value : undefined;
      if (value === undefined)
        throw refusal(422, 'missing_secret', `Missing secret: ${name}; expected one with its value in secrets`);
      used.add(value);
      return value;
    });
  const asked = { source: filled(source), ref: ref === null ? null : filled(ref), repo_path };
  try {
    const { path, resolved_ref, manifest, skills, commands } = await plugins.fetch(asked, { timeout: timeout * 1000 });
    return { path, resolved_ref, source, repo_path, manifest, skills: [...skills], commands: [...commands] };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !Object.hasOwn(REFUSALS, String(error.code))) throw error;
    const [status, code] = REFUSALS[error.code as RefusedInstallation];
    throw refusal(status, code, hidden(errorText(error), used));
  }
}

function refusal(status: number, code: string, message: string): ApiError {
  return new ApiError(status, { code, message });
}

function hidden(text: string, secrets: ReadonlySet<string>): string {
  return [...secrets].reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '****')), text);
}
