import { isDeepStrictEqual } from 'node:util';

import { type Event, isEvent } from '@conv/core/events';

import { textOf } from '../../conversation/event-line.ts';
import type { Acknowledged } from '../job-worker.ts';
import type { Claim } from '../narrator.ts';
import { DELETE_TASK, NOT_LIKE_THIS } from '../task.ts';

/** What came of a cut. */
export interface Cut {
  /** Connections that there were. */
  readonly cut: number;
  /** Connections that were tried meanwhile. */
  readonly refused: number;
  /** Events that were stored meanwhile. */
  readonly unheard: number;
  /** Whether the client was given them afterwards. */
  readonly caughtUp: boolean;
}

/** Whether the run went on without its client, and the client heard of it when it came back. */
export function cutClaim({ cut, refused, unheard, caughtUp }: Cut): Claim {
  return {
    text: `the run went on without its client: ${unheard} events came about meanwhile, and it has them all (${refused} of its tries were refused)`,
    holds: cut > 0 && unheard > 0 && caughtUp,
    found: `${cut} connections cut, ${unheard} events meanwhile, ${caughtUp ? 'all' : 'not all'} of them given`,
  };
}

/** Checks that the run went on at the new server until its client had it paused. */
export function returnClaim(status: string): Claim {
  return {
    text: `the client came back by itself, the run went on without being asked, and run(), begun before the cut, returned: ${status}`,
    holds: status === 'paused',
    found: status,
  };
}

/** Whether clients were given each event once and in order, as the server shows it. */
export function onceInOrderClaim(acknowledged: readonly Acknowledged[], shown: readonly unknown[]): Claim {
  const inOrder = acknowledged.every(({ index }, position) => index === position);
  const differing = shown.findIndex((event, index) => !isDeepStrictEqual(event, plainCopy(acknowledged[index]?.event)));
  return {
    text: `the clients were given each of the ${shown.length} events once and in order, equal to what REST shows`,
    holds: shown.length > 0 && inOrder && acknowledged.length === shown.length && differing === -1,
    found: inOrder
      ? `${acknowledged.length} given; event ${differing} differs`
      : `given as ${acknowledged.map(({ index }) => index).join(' ')}`,
  };
}

/** Whether the message whose answer was lost is there once. */
export function lostAnswerClaim(events: readonly Event[], lost: number): Claim {
  const said = events.filter(
    (event) =>
      isEvent(event, 'MessageEvent') && event.source === 'user' && textOf(event.llm_message.content) === DELETE_TASK,
  );
  return {
    text: 'the answer to the second message was lost on the way: it was sent again under its key, and is in the log once',
    holds: lost === 1 && said.length === 1,
    found: `${lost} answers lost, ${said.length} messages`,
  };
}

/** Whether the model was sent why a person said no, and what is unknown of the call that was cut off. */
export function toldClaim(requests: string): Claim {
  const told = { rejection: requests.includes(NOT_LIKE_THIS), interruption: requests.includes('interrupted') };
  return {
    text: 'requests to the model say why the person said no, and that a call was interrupted',
    holds: told.rejection && told.interruption,
    found: JSON.stringify(told),
  };
}

/** Whether the server is closed to whoever has no key. */
export function keyClaim(status: number): Claim {
  return { text: 'without its key the server says 401', holds: status === 401, found: String(status) };
}

function plainCopy(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
