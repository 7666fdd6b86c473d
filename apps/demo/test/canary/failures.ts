import type { ToolFactory } from '@conv/core/tool';

import type { Carrier } from './carrier.ts';

/** An error that says secrets in every way that an error has. */
export function tellingError(way: string, carrier: Carrier): Error {
  const say = (member: string): string => carrier.all(`${way}-${member}`);
  const inner = Object.assign(new Error(say('inner')), {
    config: { headers: { authorization: say('member') } },
    pairs: new Map([['key', say('map')]]),
    list: new Set([say('set')]),
    bytes: Buffer.from(carrier.value('long')),
    quiet: { text: say('quiet'), toJSON: () => 'nothing' },
    [Symbol('sign')]: say('symbol'),
  });
  const cause = new TypeError(say('cause'), { cause: say('last-cause') });
  return new AggregateError([inner, say('text')], carrier.all(way), { cause });
}

/** A tool that cannot be made. */
export function brokenTool(carrier: Carrier): ToolFactory {
  return { name: 'broken', params: {}, create: () => Promise.reject(tellingError('broken', carrier)) };
}
