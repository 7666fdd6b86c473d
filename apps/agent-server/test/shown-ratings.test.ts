import { createAgent, openaiCompatible } from '@conv/agent';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import { call, createModelServer, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { taskTracker } from '@conv/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

const KEY = 'session-key-of-shown-ratings-51ab';
const cwd = newFolder();
let model: ModelServer;
let server: ServerProcess;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => (toolResults(request).length > 0 ? say('Done.') : call('task_tracker', { command: 'view' })),
  });
  server = await ServerProcess.start({ cwd, env: { OH_SESSION_API_KEYS_0: KEY, CONV_HOST: '127.0.0.1' } });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

type Options = Parameters<typeof openRemoteConversation>[1];

function open(more: Partial<Options>): Promise<RemoteConversation> {
  const workspace = new RemoteWorkspace({ host: server.url, apiKey: KEY, workingDir: cwd });
  const agent = createAgent({
    model: openaiCompatible('test-model', { baseUrl: model.url, apiKey: 'k' }),
    tools: [taskTracker()],
  });
  return openRemoteConversation({}, { agent, workspace, securityAnalyzer: { kind: 'LLMSecurityAnalyzer' }, ...more });
}

test('P11: a remote conversation for OpenHands 1.54 shows ratings as events, and refuses other releases', async () => {
  const conversation = await open({ openhands: '>=1.54' });
  const told: string[] = [];
  conversation.subscribe({ onEvent: ({ kind }, index) => void told.push(`${index} ${kind}`) });
  await conversation.sendMessage('Which tasks are there?');
  expect((await conversation.run()).status).toBe('finished');
  const kinds = (await conversation.events.slice()).map(({ kind }, index) => `${index} ${kind}`);
  expect(kinds.slice(2)).toEqual(['2 ActionEvent', '3 SecurityAnalysisEvent', '4 ObservationEvent', '5 MessageEvent']);
  await conversation.close();
  expect(told).toEqual(kinds);
  await (await open({ id: conversation.id, openhands: '>=1.54' })).close();
  await expect(open({ id: conversation.id, openhands: '>=1.58' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('openhands: expected ">=1.54"'),
  });
});

test.each(['1.54', '>=soon'])(
  'P13: a remote conversation for the releases %j is refused by name',
  async (openhands) => {
    await expect(open({ openhands: openhands as '>=1.54' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('openhands'),
    });
  },
);
