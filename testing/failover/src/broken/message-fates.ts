import type { IncomingMessage } from 'node:http';

import type { Breakage } from './breakage.ts';

/** What a balancer makes of a request. */
export type Fate = 'pass' | 'forget' | 'double' | 'delay';

/** Decides it. */
export type FateOf = (request: IncomingMessage, body: Buffer) => Fate;

const EVENTS = /^\/api\/conversations\/[^/]+\/events$/;

const FATES: Readonly<Partial<Record<Breakage, Fate>>> = { forgetful: 'forget', doubling: 'double', delaying: 'delay' };

/** One remark of so many. */
const SOME = 2;

/** What becomes of requests when this is broken. Work goes on all the same: only remarks are touched. */
export function fatesWhen(breakage: Breakage | null): FateOf {
  const fate = breakage === null ? undefined : FATES[breakage];
  let remarks = 0;
  return ({ method, url = '' }, body) => {
    if (fate === undefined || method !== 'POST' || !EVENTS.test(url) || !body.includes('remark ')) return 'pass';
    return ++remarks % SOME === 0 ? fate : 'pass';
  };
}
