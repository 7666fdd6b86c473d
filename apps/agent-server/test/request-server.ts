import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { call, lastUserText, say, toolResults } from '@conv/testing-model-server';
import { expect } from 'vitest';

import { payload } from './calls.ts';
import { startScriptedServer } from './scripted-server.ts';
import type { ServerProcess } from './server-process.ts';

/** A server for the requests of one file of tests, with a scripted model. */
export interface RequestServer {
  readonly server: ServerProcess;
  readonly cwd: string;
  /** The model as requests name it. */
  readonly llm: JsonObject;
  /** Sends a request to start a conversation with these members. Resolves with the answer. */
  readonly start: (
    more: JsonObject,
  ) => Promise<{ readonly status: number; readonly body: ConversationInfo & JsonObject }>;
  /** Resolves with the places that a refusal names. */
  readonly placesOf: (more: JsonObject) => Promise<readonly unknown[]>;
}

/** Starts the server. It stops after the tests of the file. */
export async function startRequestServer(): Promise<RequestServer> {
  const { cwd, model, server } = await startScriptedServer((request) => {
    const said = lastUserText(request) ?? '';
    if (said.includes('Find a title')) return say('A title by the model');
    if (toolResults(request).length > 0) return say('Done.');
    return said.startsWith('write') ? call('terminal', { command: 'echo made > made.txt' }) : say('Yes.');
  }, 'script');
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  const start: RequestServer['start'] = (more) =>
    server.call('POST', '/api/conversations', { ...payload({ cwd, llm }), ...more });
  const placesOf = async (more: JsonObject): Promise<readonly unknown[]> => {
    const { status, body } = await start(more);
    expect(status).toBe(422);
    return (body['detail'] as readonly { readonly loc: unknown }[]).map(({ loc }) => loc);
  };
  return { server, cwd, llm, start, placesOf };
}
