import type { StateFields } from '@conv/core';

import { deleteOnRequest, lookFromOutside } from '../act-delete.ts';
import type { JobWorker } from '../job-worker.ts';
import { lostAnswerClaim, onceInOrderClaim, keyClaim, toldClaim } from './remote-claims.ts';
import type { RemoteStage } from './remote-stage.ts';
import { eventsByRest, statusWithoutKey } from './rest.ts';

/** Sends the second message, whose answer is lost. Then compares what the clients, REST and the folder show. */
export async function deleteAndCompare(stage: RemoteStage, worker: JobWorker): Promise<StateFields> {
  const { narrator, proxy } = stage;
  proxy.loseAnswer({ method: 'POST', path: `/${stage.id}/events` });
  const state = await deleteOnRequest(stage, worker);
  narrator.claim(lostAnswerClaim(await stage.storedEvents(), proxy.lost));
  if (stage.chosen.url !== undefined) narrator.claim(toldClaim(stage.chosen.requests()));
  await narrator.act('Compare: the clients’ events, the answers of REST, the folder');
  const { url } = stage.server;
  narrator.claim(onceInOrderClaim(stage.acknowledged, await eventsByRest({ url, key: stage.key, id: stage.id })));
  narrator.claim(keyClaim(await statusWithoutKey({ url, id: stage.id })));
  const exitCode = await stage.server.stop();
  narrator.claim({
    text: 'the server shut down in order',
    holds: exitCode === 0,
    found: `exit code ${exitCode ?? 'none'}`,
  });
  // clients are not shown the ciphertext of secrets
  await lookFromOutside(stage, state, { who: 'the client', unshown: ['secretRegistry'] });
  return state;
}
