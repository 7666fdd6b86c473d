import { isAcpAgentError } from '@conv/acp-agent';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { afterAll, expect, test } from 'vitest';

import { removeFolders } from '../new-folder.ts';
import { eventually } from '../server-process.ts';
import { AcpStage, play, told } from './acp-stage.ts';

afterAll(removeFolders);

const ASK = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;
const HELD = 'does not answer the change';
/** Milliseconds that no other timer has. */
const LIMIT = 54_321;

/** Resolves when the program has got a request that it does not answer. */
function held(stage: AcpStage): Promise<boolean> {
  return eventually(() => stage.sessions['session-1']?.at(-1) === HELD);
}

test('P10: a run that is interrupted before its program has changed its mode sends no prompt', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['modes', 'held']), ASK);
  await conversation.sendMessage('mode');
  const run = conversation.run();
  await held(stage);
  await conversation.interrupt();
  expect((await run).status).toBe('paused');
  expect((await conversation.run()).status).toBe('finished');
  expect((await told(conversation)).at(-1)).toBe('agent: mode=default');
  expect(stage.sessions).toEqual({ 'session-1': [HELD], 'session-2': ['mode'] });
});

test('a program that does not answer a request for a mode fails the run with what to do', async () => {
  const stage = new AcpStage();
  let limits = 0;
  let expire = (): void => undefined;
  // the first limit is that of the start
  const platform: Platform = {
    ...systemPlatform,
    setTimer: (milliseconds, work, options) => {
      if (milliseconds === LIMIT && ++limits === 2) expire = work;
      return systemPlatform.setTimer(milliseconds, work, options);
    },
  };
  const agent = stage.agent(['modes', 'held'], { startupTimeout: LIMIT, platform });
  const conversation = await stage.open(agent, ASK);
  await conversation.sendMessage('mode');
  const failed = conversation.run().catch((reason: Error) => reason.cause);
  await held(stage);
  expire();
  const error = await failed;
  expect(isAcpAgentError(error, 'START_TIMEOUT')).toBe(true);
  expect(String(error)).toContain('did not answer the request to change to its mode "default" within 54321 ms');
  expect(String(error)).toContain('run the conversation again');
  expect(await play(conversation, 'say Ahoy')).toBe('finished');
  expect((await told(conversation)).at(-1)).toBe('agent: mode=defaultAhoy');
});

test('a program that does not answer a request for another model is ended with the interruption', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['models', 'held']));
  await play(conversation, 'model');
  await conversation.settings.setModel('large');
  await conversation.sendMessage('model');
  const run = conversation.run();
  await held(stage);
  await conversation.interrupt();
  expect((await run).status).toBe('paused');
  expect((await conversation.run()).status).toBe('finished');
  expect((await told(conversation)).at(-1)).toContain('model=large');
  expect(stage.sessions['session-1']).toEqual(['model', HELD]);
});

test('P10: a session has its own mode again after a restart when the policy asks no more', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['modes', 'resume', 'kept']);
  const conversation = await stage.open(agent, ASK);
  await play(conversation, 'say Ahoy');
  await conversation.close();
  const again = await stage.open(agent, { id: conversation.id });
  await play(again, 'mode');
  await again.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
  await play(again, 'mode');
  const said = (await told(again)).filter((line) => line.startsWith('agent'));
  expect(said).toEqual(['agent: Ahoy', 'agent: mode=default', 'agent: mode=auto']);
});

test('P10: a session that nothing asked to ask keeps the mode in which it is resumed', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['modes', 'resume', 'kept']);
  const conversation = await stage.open(agent);
  await play(conversation, 'mode');
  await conversation.close();
  const again = await stage.open(agent, { id: conversation.id });
  await play(again, 'mode');
  expect((await told(again)).filter((line) => line.startsWith('agent'))).toEqual([
    'agent: mode=auto',
    'agent: mode=default',
  ]);
});
