import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent, openaiCompatible } from '@conv/agent';
import { createConversationFactory, type Conversation } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { createHooks, reviveHooks } from '@conv/hooks';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { createSecretVault } from '@conv/secrets';
import {
  call,
  createModelServer,
  lastUserText,
  say,
  toolResults,
  type ModelRequest,
  type ModelServer,
} from '@conv/testing-model-server';
import { terminal } from '@conv/tools';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';

const VALUE = 'tok_4f9c1e77aa02bd31';
const POLICY = 'Nothing may be made whose name begins with "forbidden".';
const LOOK = 'touch made-once; echo "it is $DEPLOY_TOKEN"';

interface Stack {
  readonly conversation: Conversation;
  readonly model: ModelServer;
  readonly workspace: string;
  /** The requests to the judge. */
  readonly judged: () => readonly ModelRequest[];
}

/** A conversation on files whose model makes these calls, and judges them when its hook asks. */
async function judgedConversation(commands: readonly string[]): Promise<Stack> {
  const isJudge = ({ messages }: ModelRequest): boolean => JSON.stringify(messages).includes('begins with');
  const model = await createModelServer({
    script: (request) => {
      if (isJudge(request)) {
        const decision = lastUserText(request).includes('forbidden') ? 'deny' : 'allow';
        return say(JSON.stringify({ decision, reason: 'its name is not allowed' }));
      }
      const command = commands[toolResults(request).length];
      return command === undefined ? say('Done.') : call('terminal', { command });
    },
  });
  onTestFinished(() => model.close());
  const [workspace, persistenceDir] = [newFolder(), newFolder()];
  const make = createConversationFactory({
    runtimes: [
      local({
        storeAt: (directory) => new FsStore({ directory }),
        hooks: reviveHooks(),
        secrets: createSecretVault,
      }),
    ],
  });
  const conversation = await make({
    agent: createAgent({ model: openaiCompatible('scripted-model', { baseUrl: model.url }), tools: [terminal()] }),
    workspace,
    persistenceDir,
    secrets: { DEPLOY_TOKEN: VALUE },
    hooks: createHooks({
      preToolUse: [{ matcher: 'terminal', hooks: [{ type: 'prompt', name: 'names', prompt: POLICY }] }],
    }),
  });
  onTestFinished(() => conversation.close());
  await conversation.sendMessage('Go');
  expect((await conversation.run()).status).toBe('finished');
  return {
    conversation,
    model,
    workspace,
    judged: () => model.requests.map(({ body }) => body as never).filter(isJudge),
  };
}

test('P10: a hook that is a prompt is judged by the model of the agent before the tool runs, and can deny', async () => {
  const { conversation, workspace, judged } = await judgedConversation(['touch forbidden-file', 'touch allowed-file']);
  expect([existsSync(join(workspace, 'forbidden-file')), existsSync(join(workspace, 'allowed-file'))]).toEqual([
    false,
    true,
  ]);
  expect(judged()).toHaveLength(2);
  const events = await conversation.events.slice();
  const rejected = events.filter((event) => isEvent(event, 'UserRejectObservation'));
  expect(rejected).toMatchObject([{ rejection_reason: 'its name is not allowed', rejection_source: 'hook' }]);
  const ran = events.filter((event) => isEvent(event, 'HookExecutionEvent'));
  expect(ran.map(({ hook_command: command, blocked }) => [command, blocked])).toEqual([
    ['prompt:names', true],
    ['prompt:names', false],
  ]);
  // what the judge costs is counted
  expect(Object.keys(conversation.state.stats)).toContain('prompt-hook:names');
});

test('P9, P10: a rerun outside of a run is judged, masked and in no log, and asks no person', async () => {
  const { conversation, workspace, judged } = await judgedConversation([LOOK]);
  await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
  const [before, asked] = [await conversation.events.slice(), judged().length];
  rmSync(join(workspace, 'made-once'));
  const [again, ...more] = await Array.fromAsync(conversation.history.rerunActions());
  expect([more, again?.failed]).toEqual([[], false]);
  expect(existsSync(join(workspace, 'made-once'))).toBe(true);
  expect(JSON.stringify(again)).toContain('it is <secret-hidden>');
  expect(JSON.stringify(again)).not.toContain(VALUE);
  expect(judged()).toHaveLength(asked + 1);
  expect(await conversation.events.slice()).toEqual(before);
  expect(conversation.state.executionStatus).toBe('finished');
});
