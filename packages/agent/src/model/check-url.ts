import { wrongBaseUrl } from '@conv/openhands/descriptions';

import { LlmError } from './llm-error.ts';

/** Returns a valid base URL. Throws `CONFIG` for a URL that no request could use; never quotes it, because it may be the key. */
export function checkUrl(baseUrl: string, place: string = 'the base URL of the model'): string {
  const wrong = wrongBaseUrl(baseUrl);
  if (wrong !== undefined) throw new LlmError('CONFIG', `${place} ${wrong}`);
  return baseUrl;
}
