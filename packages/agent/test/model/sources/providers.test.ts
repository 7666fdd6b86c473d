import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { anthropic, google, type Model, openai, openaiCompatible } from '../../../src/index.ts';

const apiKey = 'a-key-of-nobody';
const baseUrl = 'http://127.0.0.1:1/v1';

const pairs: readonly (readonly [string, Model, LanguageModelV4])[] = [
  ['openai chat', openai('gpt-4o', { apiKey }), createOpenAI({ apiKey }).chat('gpt-4o')],
  ['openai responses', openai('gpt-5', { apiKey }), createOpenAI({ apiKey }).responses('gpt-5')],
  ['anthropic', anthropic('claude', { apiKey }), createAnthropic({ apiKey })('claude')],
  ['google', google('gemini', { apiKey }), createGoogle({ apiKey })('gemini')],
  [
    'openaiCompatible',
    openaiCompatible('qwen3', { baseUrl }),
    createOpenAICompatible({ name: 'openaiCompatible', baseURL: baseUrl })('qwen3'),
  ],
];

test.each(pairs)('%s names itself before it is loaded as its provider does', async (_name, { languageModel }, own) => {
  expect([languageModel.provider, languageModel.modelId]).toEqual([own.provider, own.modelId]);
  expect(await languageModel.supportedUrls).toEqual(await own.supportedUrls);
});
