import type { IncomingMessage } from 'node:http';

import type { Breakage } from './breakage.ts';

/** Treatment of a request by a balancer. */
export type Fate = 'pass' | 'forget' | 'double' | 'delay';

/** Decides the treatment of a request. */
export type FateOf = (request: IncomingMessage, body: Buffer) => Fate;

const EVENTS = /^\/api\/conversations\/[^/]+\/events$/;

const FATES: Readonly<Partial<Record<Breakage, Fate>>> = { forgetful: 'forget', doubling: 'double', delaying: 'delay' };

/** Of every so many remarks, the last meets the fate of the breakage. */
const SOME = 2;

/** Returns the treatment of requests under a breakage. Work goes on all the same, because only remarks are affected. */
export function fatesWhen(breakage: Breakage | null): FateOf {
  const fate = breakage === null ? undefined : FATES[breakage];
  let remarks = 0;
  return ({ method, url = '' }, body) => {
    if (fate === undefined || method !== 'POST' || !EVENTS.test(url) || !body.includes('remark ')) return 'pass';
    return ++remarks % SOME === 0 ? fate : 'pass';
  };
}
