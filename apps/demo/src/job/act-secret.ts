import { randomBytes } from 'node:crypto';

import { SECRET_MASK } from '@conv/core';
import type { Event } from '@conv/core/events';

import { usedClaim } from './claims.ts';
import type { JobWorker } from './job-worker.ts';
import type { Claim } from './narrator.ts';
import { filesWith } from '@conv/testing-harness';
import type { Stage } from './stage.ts';
import { SECRET_NAME, SECRET_TASK } from './task.ts';

/**
 * Lets a command use a secret and print it. Only the command's process sees the value. Resolves with another worker, which was
 * never given the value and masks it as well.
 */
export async function useSecret(stage: Stage, worker: JobWorker): Promise<JobWorker> {
  const { narrator } = stage;
  const value = `tok_${randomBytes(18).toString('base64url')}`;
  await narrator.act(`A secret: ${SECRET_NAME}`);
  narrator.say('The model knows the name of the secret. A command that names it gets the value, and prints it here.');
  await worker.call('secrets', { [SECRET_NAME]: value });
  const before = (await stage.storedEvents()).length;
  await worker.call('send', SECRET_TASK);
  await worker.call('run');
  await worker.end();
  const next = await stage.successor();
  const from = (await stage.storedEvents()).length;
  await next.call('open', stage.request('never', from));
  narrator.say(`${next.name} opens the conversation, and the user writes the value in a message.`);
  await next.call('send', `By the way, the token is ${value}. Forget that, and say only "forgotten".`);
  await next.call('run');
  const events = await stage.storedEvents();
  narrator.claim(usedClaim(events.slice(before), value));
  narrator.claim(hiddenClaim(events.slice(from), stage, value));
  return next;
}

/** Claims that the value is in no file, in no request to the model, and in no message to another process. */
function hiddenClaim(said: readonly Event[], stage: Stage, value: string): Claim {
  const files = filesWith(stage.base, value);
  const sent = stage.chosen.requests().includes(value);
  const heard = JSON.stringify(stage.acknowledged).includes(value);
  const masked = JSON.stringify(said).includes(`the token is ${SECRET_MASK}`);
  const where = [...files, ...(sent ? ['a request to the model'] : []), ...(heard ? ['an acknowledged event'] : [])];
  return {
    text: 'the value is in no file and in no request, even after a restart and in the user’s message',
    holds: where.length === 0 && masked,
    found: where.length > 0 ? where.join(', ') : 'the user’s message was not masked',
  };
}
