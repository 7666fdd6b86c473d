import { modelProfiles, openaiCompatible, withFallbacks } from '@conv/agent';
import type { ConversationUnderTest } from '@conv/conformance';
import {
  call,
  createModelServer,
  fail,
  type ModelServer,
  say,
  type Script,
  toolResults,
} from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { realConversation } from './real-conversation.ts';

async function serve(script: Script): Promise<ModelServer> {
  const server = await createModelServer({ script });
  onTestFinished(() => server.close());
  return server;
}

/** A conversation whose first model has said one thing. */
async function begun(agentOnOpen: 'given' | 'stored' = 'stored'): Promise<ConversationUnderTest> {
  const first = await serve([say('From the first.'), say('From the first again.')]);
  const under = await realConversation(first, { turns: [] }, { mirror: 'always', agentOnOpen });
  onTestFinished(() => under.dispose());
  await under.conversation.sendMessage('Hi');
  await under.conversation.run();
  return under;
}

test('P4: a model from a profile answers after a restart and after a kill, and is counted as the profile', async () => {
  const under = await begun();
  const second = await serve(() => say('From the second.', { usage: { promptTokens: 10 } }));
  const profiles = modelProfiles({ directory: newFolder() });
  await profiles.save('second', openaiCompatible('second', { baseUrl: second.url, price: { input: 1, output: 0 } }));
  await under.conversation.settings.setModel(await profiles.load('second'));
  for (const open of [under.reopen, under.kill]) {
    const again = await open?.();
    await again?.sendMessage('And now?');
    await again?.run();
    expect(await again?.finalResponse()).toBe('From the second.');
  }
  const { stats } = (await under.reopen()).state;
  expect(Object.entries(stats).map(([id, { modelName, calls }]) => [id, modelName, calls])).toEqual([
    ['default', 'openai/scripted-model', 1],
    ['profile:second', 'openai/second', 2],
  ]);
  expect(stats['profile:second']?.cost).toBeCloseTo(20 / 1_000_000);
  expect(second.violations).toEqual([]);
});

test('an agent that is given on open wins over the model that was set', async () => {
  const under = await begun('given');
  await under.conversation.settings.setModel(openaiCompatible('second', { baseUrl: (await serve([])).url }));
  const again = await under.reopen();
  await again.sendMessage('And now?');
  await again.run();
  expect(await again.finalResponse()).toBe('From the first again.');
});

test('a profile that is not there changes nothing', async () => {
  const { conversation } = await begun();
  const before = conversation.state.agent;
  const profiles = modelProfiles({ directory: newFolder() });
  const switching = profiles.load('nope').then((model) => conversation.settings.setModel(model));
  await expect(switching).rejects.toMatchObject({ code: 'UNKNOWN_PROFILE' });
  expect(conversation.state.agent).toEqual(before);
});

test('fallbacks come along into a fork, which is opened with the agent that is stored', async () => {
  const under = await begun();
  const broken = await serve(() => fail(503));
  const second = await serve(() => say('From the fallback.'));
  const once = { retry: { attempts: 1 } };
  await under.conversation.settings.setModel(
    withFallbacks(openaiCompatible('broken', { baseUrl: broken.url, ...once }), [
      openaiCompatible('second', { baseUrl: second.url, ...once }),
    ]),
  );
  const fork = await under.open(await under.conversation.history.fork());
  await fork.sendMessage('And now?');
  await fork.run();
  expect(await fork.finalResponse()).toBe('From the fallback.');
  expect(fork.state.stats['default']?.modelName).toBe('openai/second');
});

test('P7: the model hands over to a profile within a run, which the other model finishes and later answers', async () => {
  const second = await serve(() => say('From the second.'));
  const profiles = modelProfiles({ directory: newFolder() });
  await profiles.save('second', openaiCompatible('second', { baseUrl: second.url }));
  const first = await serve([
    call('switch_llm', { profile_name: 'third', reason: 'try' }),
    (request) =>
      toolResults(request).some(({ text }) => text.includes('Profiles: second.'))
        ? call('switch_llm', { profile_name: 'second', reason: 'it knows more' })
        : say('Nobody told me the names.'),
  ]);
  const under = await realConversation(first, { turns: [] }, { mirror: 'always', agentOnOpen: 'stored', profiles });
  onTestFinished(() => under.dispose());
  await under.conversation.sendMessage('Ask the one who knows.');
  expect((await under.conversation.run()).status).toBe('finished');
  expect(await under.conversation.finalResponse()).toBe('From the second.');
  const again = await under.reopen();
  await again.sendMessage('And now?');
  await again.run();
  expect([first.requests.length, second.requests.length]).toEqual([2, 2]);
  expect(Object.entries(again.state.stats).map(([id, { calls }]) => [id, calls])).toEqual([
    ['default', 2],
    ['profile:second', 2],
  ]);
  expect([...first.violations, ...second.violations]).toEqual([]);
});
