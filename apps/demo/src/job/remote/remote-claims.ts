import { isDeepStrictEqual } from 'node:util';

import { textOf } from '@conv/cli/parts';
import { type Event, isEvent } from '@conv/core/events';

import type { Acknowledged } from '../job-worker.ts';
import type { Claim } from '../narrator.ts';
import { DELETE_TASK, NOT_LIKE_THIS } from '../task.ts';

/** Result of a cut. */
export interface Cut {
  /** Connections that were cut. */
  readonly cut: number;
  /** Connections that were tried meanwhile. */
  readonly refused: number;
  /** Events that were stored meanwhile. */
  readonly unheard: number;
  /** True if the client received them afterwards. */
  readonly caughtUp: boolean;
}

/** Claims that the run went on without its client, and that the client caught up when it came back. */
export function cutClaim({ cut, refused, unheard, caughtUp }: Cut): Claim {
  return {
    text: `the run continued without its client: it made ${unheard} events in the meantime, and the client now has all of them (${refused} of its requests were refused)`,
    holds: cut > 0 && unheard > 0 && caughtUp,
    found: `${cut} connections cut, ${unheard} events in the meantime, ${caughtUp ? 'all' : 'not all'} of them received`,
  };
}

/** Checks that the run went on at the new server until its client had it paused. */
export function returnClaim(status: string): Claim {
  return {
    text: `the client reconnected and the run continued, both by themselves, and the run() from before the cut returned ${status}`,
    holds: status === 'paused',
    found: status,
  };
}

/** Claims that clients received each event once and in order, as the server shows it. */
export function onceInOrderClaim(acknowledged: readonly Acknowledged[], shown: readonly unknown[]): Claim {
  const inOrder = acknowledged.every(({ index }, position) => index === position);
  const differing = shown.findIndex((event, index) => !isDeepStrictEqual(event, plainCopy(acknowledged[index]?.event)));
  return {
    text: `the clients received each of the ${shown.length} events once and in order, equal to the answers of REST`,
    holds: shown.length > 0 && inOrder && acknowledged.length === shown.length && differing === -1,
    found: inOrder
      ? `${acknowledged.length} given; event ${differing} differs`
      : `given as ${acknowledged.map(({ index }) => index).join(' ')}`,
  };
}

/** Claims that the message whose answer was lost is in the log once. */
export function lostAnswerClaim(events: readonly Event[], lost: number): Claim {
  const said = events.filter(
    (event) =>
      isEvent(event, 'MessageEvent') && event.source === 'user' && textOf(event.llm_message.content) === DELETE_TASK,
  );
  return {
    text: 'the answer to the second message was lost: the message was sent again under its key, and is in the log once',
    holds: lost === 1 && said.length === 1,
    found: `${lost} answers lost, ${said.length} messages`,
  };
}

/** Claims that the model was sent the person's reason of the rejection, and that the interrupted call's outcome is unknown. */
export function toldClaim(requests: string): Claim {
  const told = { rejection: requests.includes(NOT_LIKE_THIS), interruption: requests.includes('interrupted') };
  return {
    text: 'requests to the model contain the reason for the rejection, and the interrupted call',
    holds: told.rejection && told.interruption,
    found: JSON.stringify(told),
  };
}

/** Claims that the server refuses a request without a key. */
export function keyClaim(status: number): Claim {
  return { text: 'without its key the server answers 401', holds: status === 401, found: String(status) };
}

function plainCopy(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
