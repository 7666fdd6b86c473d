import type { JsonObject } from '@conv/core';
import { askUser } from '@conv/openhands/client-tools';
import { AuthorizationServer, ProtectedMcpServer } from '@conv/testing-harness';
import { call, createModelServer, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { onTestFinished } from 'vitest';

import { eventsOf, payload } from '../calls.ts';
import { type CalledServer, eventually } from '../server-process.ts';

/** An MCP server that wants a login, and a model that logs in and then says something there. */
export interface LoginBench {
  readonly authorization: AuthorizationServer;
  readonly mcp: ProtectedMcpServer;
  readonly model: ModelServer;
  /** Describes a conversation in which that model works, and that a person can be asked in. */
  readonly described: (cwd: string) => JsonObject;
}

/** Starts them. They are stopped after the test. */
export async function loginBench(): Promise<LoginBench> {
  const authorization = await AuthorizationServer.start();
  const mcp = await ProtectedMcpServer.start(authorization);
  const model = await createModelServer({
    script: (request) => {
      const results = toolResults(request, 'since-last-user-message');
      const isKnown = request.tools.some(({ name }) => name === 'say');
      if (results.length === 0 && !isKnown) return call('authorize', {});
      const hasSaid = results.some(({ name }) => name === 'say');
      return isKnown && !hasSaid ? call('say', { text: 'hello' }) : say('Done.');
    },
  });
  onTestFinished(async () => {
    await Promise.all([authorization.stop(), mcp.stop(), model.close()]);
  });
  const described = (cwd: string): JsonObject => {
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
    const { agent, ...others } = payload({ cwd, llm });
    const mcp_config = { shop: { url: mcp.url, auth: { strategy: 'oauth2' } } };
    const { name, description, parameters, annotations, answers } = askUser;
    return {
      ...others,
      agent: { ...(agent as JsonObject), mcp_config },
      client_tools: [{ name, description, parameters, annotations, answers } as unknown as JsonObject],
    };
  };
  return { authorization, mcp, model, described };
}

/** Resolves with the address of the question that waits in a conversation. */
export function askedIn(server: CalledServer, id: string): Promise<string> {
  return eventually(async () => {
    const text = JSON.stringify(await eventsOf(server, id));
    return /"url":"(http[^"]+)"/.exec(text)?.[1];
  });
}
