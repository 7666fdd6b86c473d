import { fileURLToPath } from 'node:url';

import type { JsonObject } from '@conv/core';
import { createModelServer, type ModelServer, say } from '@conv/testing-model-server';
import { onTestFinished } from 'vitest';

import { type RunningStudio, startStudio, type StudioOptions } from '../../../src/index.ts';
import type { TestBrowser } from './browser.ts';

/** The built page; the tests run the sources, which have none beside them. */
const BUILT = fileURLToPath(new URL('../../../dist/page', import.meta.url));

/** Errors that studio reported, by the studio's own test. */
export const reported: string[] = [];

/** Starts studio on a free port, without a variable of this machine. Ends it after the test. */
export async function studioFor(options: StudioOptions): Promise<RunningStudio> {
  const report = (error: unknown, about: object): void =>
    void reported.push(
      `${error instanceof Error ? (error.stack ?? '') : JSON.stringify(error)} ${JSON.stringify(about)}`,
    );
  const studio = await startStudio({ environment: {}, report, folder: BUILT, ...options, port: options.port ?? 0 });
  onTestFinished(() => studio.close());
  return studio;
}

/** A model that says these texts, and the variables that name it. Ends after the test. */
export async function modelThatSays(
  ...texts: readonly string[]
): Promise<{ readonly server: ModelServer; readonly environment: Readonly<Record<string, string>> }> {
  const server = await createModelServer({ script: texts.map((text) => say(text)) });
  onTestFinished(() => server.close());
  return {
    server,
    environment: { LLM_MODEL: 'openai/scripted', LLM_BASE_URL: server.url, LLM_API_KEY: 'sk-of-the-model-0123456789' },
  };
}

/** Returns a request to start a conversation with the agent of the environment. */
function newConversation(workingDir: string, text = 'Hello'): JsonObject {
  return {
    agent_settings: { agent_kind: 'llm', llm: { model: 'openai/scripted' } },
    workspace: { working_dir: workingDir },
    confirmation_policy: { kind: 'NeverConfirm' },
    initial_message: { role: 'user', content: [{ type: 'text', text }] },
  };
}

/** Starts a conversation and waits for the end of its run. Resolves with its id. */
export async function finishedConversation(browser: TestBrowser, workingDir: string): Promise<string> {
  const { status, body, text } = await browser.ask('POST', '/api/conversations', { body: newConversation(workingDir) });
  if (status !== 201) throw new Error(`expected a conversation, found ${status}: ${text}`);
  const id = body['id'] as string;
  for (;;) {
    const info = await browser.ask('GET', `/api/conversations/${id}`);
    if (info.body['execution_status'] === 'finished') return id;
    if (info.body['execution_status'] === 'error') throw new Error(`the run failed: ${info.text}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
