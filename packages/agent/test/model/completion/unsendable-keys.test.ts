import { textContent } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import { anthropic, google, type Model, openai, openaiCompatible, type ProviderOptions } from '../../../src/index.ts';
import { complete } from '../../../src/model/completion/complete.ts';

const messages = [{ role: 'user' as const, content: [textContent('Hello')], thinking_blocks: [] }];

const providers: Readonly<Record<string, (options: ProviderOptions & { readonly baseUrl: string }) => Model>> = {
  openai: (options) => openai('gpt-5', options),
  anthropic: (options) => anthropic('claude-sonnet-4-5', options),
  google: (options) => google('gemini-2.5-pro', options),
  'an endpoint of its own': (options) => openaiCompatible('m', options),
};

const KEYS: Readonly<Record<string, string>> = {
  'a line break': 'sk-first-half\nsecond-half-0123',
  'a dash of a word processor': 'sk-first-half—second-half-0123',
  'a control character': 'sk-first-half\0second-half-0123',
};

const cases = Object.keys(providers).flatMap((name) => Object.keys(KEYS).map((wrong) => [wrong, name] as const));

test.each(cases)('P13 P9: a key with %s is CONFIG, named and not quoted: %s', async (wrong, name) => {
  const apiKey = KEYS[wrong] as string;
  const model = providers[name]?.({ apiKey, baseUrl: 'http://127.0.0.1:1/v1' }) as Model;
  const { signal } = new AbortController();
  const error: unknown = await complete(model, { platform: systemPlatform, messages, usageId: 'a', signal }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('the API key or a header has') });
  for (let shown: unknown = error; shown instanceof Error; shown = shown.cause)
    expect(`${shown.message} ${String(shown.stack)}`).not.toMatch(/first-half|second-half/);
});
