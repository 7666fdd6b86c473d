import { Console } from 'node:console';
import process from 'node:process';

import type { Conversation, SecurityAnalyzer, TokenDelta } from '@conv/core';

import { tellingHooks } from './canary-hooks.ts';
import type { Carrier } from './carrier.ts';
import { brokenTool, tellingError } from './failures.ts';
import type { Order } from './order.ts';
import { asJson, onTerminal, type Stack } from './stack.ts';
import { UNRESOLVED } from './ways.ts';

const log = new Console({ stdout: process.stderr, stderr: process.stderr, inspectOptions: { depth: 12 } });

/** Makes the conversation and takes every way in it. */
export async function liveFirst(stack: Stack, order: Order): Promise<void> {
  const conversation = await makeConversation(stack, order);
  await talk(conversation, stack.carrier);
  await fail(conversation, stack);
  await decide(conversation, stack.carrier);
  await rename(conversation, stack.carrier);
  await interrupt(conversation, stack.carrier);
  await report(conversation, stack);
  await fork(conversation, stack);
  await conversation.close();
  await meetBrokenTool(stack);
  await meetTellingHooks(stack);
}

async function makeConversation(stack: Stack, { id }: Order): Promise<Conversation> {
  const { carrier } = stack;
  const conversation = await stack.open({
    id,
    create: 'must',
    agent: stack.agent(),
    hooks: stack.hooks,
    secrets: stack.secrets(),
    title: carrier.one('first-title', 'plain-token'),
    tags: { first: carrier.one('first-tag', 'prefix-long') },
    visualizer: onTerminal(),
    subscribers: [
      asJson(),
      { onToken: ({ text }) => void process.stdout.write(text) },
      { onStateChange: (state) => log.log(state) },
    ],
  });
  await conversation.settings.updateSecrets({ ROTATED: carrier.value('rotated-new') });
  return conversation;
}

async function talk(conversation: Conversation, carrier: Carrier): Promise<void> {
  // a value that no command has named yet is unknown
  const known = carrier.ids(...UNRESOLVED);
  await conversation.sendMessage(carrier.all('message', known), { sender: carrier.one('sender', 'plain-token') });
  log.log(await conversation.run());
  log.log(await conversation.askAgent(carrier.all('question')));
  await conversation.sendMessage(`BLOCK ME ${carrier.all('blocked-message')}`);
  log.log(await conversation.run());
}

/** Each failure of the model ends a run; the last is overcome by asking again. */
async function fail(conversation: Conversation, stack: Stack): Promise<void> {
  const { carrier } = stack;
  for (const _ of ['refused', 'unknown key', 'nonsense']) {
    await conversation.sendMessage(carrier.all('message'));
    await conversation.run().catch((error: unknown) => log.error(error));
  }
  await conversation.sendMessage('fail');
  stack.failure = tellingError('step', carrier);
  await conversation.run().catch((error: unknown) => log.error(error));
  await conversation.sendMessage('go on');
  log.log(await conversation.run());
}

async function decide(conversation: Conversation, carrier: Carrier): Promise<void> {
  const { settings } = conversation;
  await settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
  await settings.setSecurityAnalyzer(analyzer(carrier));
  await conversation.sendMessage('do something risky');
  log.log(await conversation.run());
  const { pendingActions, assessments } = conversation.state;
  log.log(pendingActions, assessments);
  await conversation.reject(
    pendingActions.slice(0, 1).map(({ id }) => id),
    carrier.all('rejection'),
  );
  log.log(await conversation.run());
  await settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
  await settings.setSecurityAnalyzer(null);
}

function analyzer(carrier: Carrier): SecurityAnalyzer {
  let assessed = 0;
  return {
    describe: () => ({ kind: 'CanaryAnalyzer' }),
    assess: () => {
      if (assessed++ > 0) throw new Error(carrier.all('analyzer-error'));
      return { risk: 'MEDIUM', reasons: carrier.ids().map((id) => carrier.one('analyzer', id)) };
    },
  };
}

async function rename({ settings, state }: Conversation, carrier: Carrier): Promise<void> {
  for (const id of carrier.ids()) {
    // a title has at most 200 characters, a tag 256
    const title = carrier.one('title', id);
    if (title.length <= 200) await settings.setTitle(title);
    const tag = carrier.one('tag', id);
    if (tag.length <= 256) await settings.setTags({ ...state.tags, [id.replaceAll('-', '')]: tag });
  }
  await settings
    .setTitle('too long'.repeat(50) + carrier.one('refused-title', 'plain-token'))
    .catch((error: unknown) => log.error(error));
}

async function interrupt(conversation: Conversation, carrier: Carrier): Promise<void> {
  await conversation.sendMessage('say something long');
  const heard = Promise.withResolvers<void>();
  let text = '';
  const subscription = conversation.subscribe({
    onToken: (delta: TokenDelta) => {
      text += delta.text;
      if (text.includes('@interrupted/prefix-long')) heard.resolve();
    },
  });
  const run = conversation.run();
  await heard.promise;
  await conversation.interrupt();
  log.log(await run);
  subscription.unsubscribe();
  await conversation.sendMessage(carrier.all('unanswered'));
}

/** Prints a conversation as programs do, and lets subscribers throw. */
async function report(conversation: Conversation, stack: Stack): Promise<void> {
  const { carrier } = stack;
  const thrower = conversation.subscribe({
    onEvent: () => {
      throw new Error(carrier.all('subscriber-error'), { cause: new Error(carrier.all('subscriber-cause')) });
    },
  });
  await conversation.sendMessage('to the subscribers');
  await thrower.caughtUp(thrower.position);
  thrower.unsubscribe();
  for await (const event of conversation.events) log.log(JSON.stringify(event));
  for await (const commit of conversation.history.commits()) log.log(JSON.stringify(commit));
  for await (const { state } of conversation.history.replay()) log.log(state.title, state.tags, state.queue);
  log.log(conversation, conversation.state, stack.agent());
  log.log(
    await conversation.state.conversationHistory(),
    await conversation.finalResponse(),
    conversation.settings.secrets,
  );
}

async function fork(conversation: Conversation, stack: Stack): Promise<void> {
  const { carrier } = stack;
  const id = await conversation.history.fork({
    title: carrier.one('fork-title', 'plain-token'),
    tags: { fork: carrier.one('fork-tag', 'prefix-long') },
  });
  await conversation.close();
  const forked = await stack.open({ id, ...stack.again() });
  await forked.sendMessage(carrier.all('forked', stack.remembered()));
  log.log(await forked.run());
  await forked.close();
}

/** A conversation whose tools cannot be made: what its commands reject with is printed. */
async function meetBrokenTool(stack: Stack): Promise<void> {
  const { carrier } = stack;
  const conversation = await stack.open({ agent: stack.agent([brokenTool(carrier)]), secrets: stack.plainSecrets() });
  await conversation.sendMessage('hello').catch((error: unknown) => log.error(error));
  await conversation.askAgent('hello').catch((error: unknown) => log.error(error));
  await conversation.close();
}

/** Opening is refused, and the reason printed. */
async function meetTellingHooks(stack: Stack): Promise<void> {
  const hooks = tellingHooks(stack.carrier);
  try {
    const conversation = await stack.open({ agent: stack.agent(), secrets: stack.plainSecrets(), hooks });
    await conversation.close();
  } catch (error) {
    log.error(error);
  }
}
