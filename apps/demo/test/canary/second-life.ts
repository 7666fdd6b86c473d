import { Console } from 'node:console';
import process from 'node:process';

import { FsStore } from '@conv/persist-fs';

import type { Order } from './order.ts';
import { asJson, onTerminal, type Stack } from './stack.ts';

const log = new Console({ stdout: process.stderr, stderr: process.stderr, inspectOptions: { depth: 12 } });

/** Opens the conversation in another process, without a subscriber to pieces of an answer, and goes on with it. */
export async function liveAgain(stack: Stack, { id, places }: Order): Promise<void> {
  const { carrier } = stack;
  const conversation = await stack.open({ id, ...stack.again(), subscribers: [asJson()] });
  log.log(conversation.settings.secrets, conversation.settings.missingSecrets);
  await conversation.sendMessage(carrier.all('message-again', stack.remembered()));
  log.log(await conversation.run());
  log.log(await conversation.askAgent(carrier.all('question-again')));
  for (const question of ['what?', 'and?'])
    await conversation.askAgent(question).catch((error: unknown) => log.error(error));
  const replayed = onTerminal();
  replayed.initialize(conversation.state);
  const subscription = conversation.subscribe(replayed, { from: 0 as never });
  await subscription.caughtUp(conversation.events.length as never);
  subscription.unsubscribe();
  await conversation.settings.updateSecrets({ PLAIN_TOKEN: null });
  await conversation.sendMessage(carrier.all('removed'));
  await conversation.close();
  const store = new FsStore({ directory: places.conversations });
  log.log((await store.list()).items);
  await store.close();
}
