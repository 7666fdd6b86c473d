import { afterAll, expect, test } from 'vitest';

import { removeFolders } from '../new-folder.ts';
import { AcpStage, play, told } from './acp-stage.ts';

afterAll(removeFolders);

const ASK = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;

test('P10: a question for permission waits for a person where the policy asks, and the turn goes on then', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(), ASK);
  expect(await play(conversation, 'say I try', 'ask rm -rf sails', 'say Done')).toBe('waiting_for_confirmation');
  const [action] = conversation.state.pendingActions;
  expect(action).toMatchObject({
    tool_name: 'request_permission',
    thought: [{ text: 'I try' }],
    action: {
      kind: 'MCPToolAction',
      data: {
        title: 'rm -rf sails',
        kind: 'execute',
        input: { command: 'rm -rf sails' },
        options: ['Always', 'Once', 'No'],
      },
    },
  });
  expect((await conversation.run()).status).toBe('finished');
  expect(await told(conversation)).toEqual([
    'tool: rm -rf sails pending',
    'call: rm -rf sails',
    "result: [Tool 'request_permission' executed.]Allowed: Once",
    'tool: rm -rf sails in_progress',
    'tool: rm -rf sails completed',
    'agent: answered: onceDone',
  ]);
});

test('P10: a policy that does not ask allows each question once', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(), { confirmationPolicy: { kind: 'NeverConfirm' } });
  expect(await play(conversation, 'ask one', 'ask two')).toBe('finished');
  expect((await told(conversation)).at(-1)).toBe('agent: answered: once');
});

test('P10: a rejected question is refused, and the program goes on without it', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(), ASK);
  await play(conversation, 'ask sink', 'say Then not');
  await conversation.reject();
  expect((await conversation.run()).status).toBe('finished');
  expect((await told(conversation)).slice(2)).toEqual(['reject', 'tool: sink failed', 'agent: answered: noThen not']);
});

test('P10: a message takes the place of the turn whose question waits', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(), ASK);
  await play(conversation, 'ask sink', 'say Never said');
  expect(await play(conversation, 'say Turn around')).toBe('finished');
  expect((await told(conversation)).slice(2)).toEqual([
    'reject',
    'user: say Turn around',
    'tool: sink failed',
    'agent: answered: cancelled',
    'environment: The turn of the program ended here before it was complete.',
    'agent: Turn around',
  ]);
  expect(Object.values(stage.sessions)).toEqual([['ask sink\nsay Never said', 'say Turn around']]);
});

test('P10: an approval that comes after the program has ended is used for nothing', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['resume']);
  const conversation = await stage.open(agent, ASK);
  await play(conversation, 'ask sink');
  await conversation.close();
  const again = await stage.open(agent, { id: conversation.id });
  expect(again.state.executionStatus).toBe('waiting_for_confirmation');
  expect((await again.run()).status).toBe('finished');
  const lines = await told(again);
  expect(lines).toContain('AgentErrorEvent');
  expect(lines).not.toContain('agent: answered: once');
  expect(stage.sessions['session-1']?.at(-1)).toContain('Check what it has already done');
});
