import { defineTool, ToolError, type Tool } from '@conv/core/tool';
import { z } from 'zod';

import type { Carrier } from './carrier.ts';

/** Dependencies of a run's tools beside their arguments. */
export interface ToolWorld {
  readonly carrier: Carrier;
  /** Sends a message of the user. */
  readonly say: (text: string) => Promise<unknown>;
}

const nothing = z.object({});

/** Tools that say what they must not. */
export function canaryTools({ carrier, say }: ToolWorld): readonly Tool[] {
  const tell = (name: string, execute: () => Promise<string> | string): Tool =>
    defineTool({ name, description: `Does what ${name} says.`, input: nothing, execute });
  return [
    nested(carrier),
    thrower(carrier),
    tell('talk', async () => {
      await say(carrier.all('queued'));
      return 'said';
    }),
    tell('spill', () => spilled(carrier)),
    tell('guarded', () => 'guarded'),
    tell('denied', () => 'not denied'),
    tell('refused', () => 'not refused'),
  ];
}

/** A tool as MCP servers have them: any arguments, and JSON as text. */
function nested(carrier: Carrier): Tool {
  return defineTool({
    name: 'nested',
    description: `Returns what it was given. ${carrier.one('tool-description', 'plain-token')}`,
    input: z.object({ payload: z.unknown() }),
    execute: ({ payload }) => {
      const members = Object.fromEntries(carrier.ids().map((id) => [id, carrier.one('result-json', id)]));
      return [
        carrier.all('result'),
        JSON.stringify(members, null, 2),
        JSON.stringify({ inner: JSON.stringify({ inner: JSON.stringify(carrier.all('result-json-json')) }) }),
        carrier.all('result-base64', undefined, (value) => Buffer.from(`user:${value}`).toString('base64')),
        `@result-number/digits=${JSON.stringify({ account: Number(carrier.value('digits')) })}`,
        JSON.stringify(payload),
      ].join('\n');
    },
  });
}

/** More than fits into an event. */
function spilled(carrier: Carrier): string {
  let text = '';
  for (let round = 0; text.length < 1_300_000; round++)
    text += carrier.all('spill') + 'filler '.repeat(180) + '.'.repeat(round % 17);
  return text;
}

function thrower(carrier: Carrier): Tool {
  const failures: Readonly<Record<string, () => unknown>> = {
    error: () => new Error(carrier.all('thrown'), { cause: new Error(carrier.all('thrown-cause')) }),
    aggregate: () => new AggregateError([new Error(carrier.all('thrown-inner'))], carrier.all('thrown-aggregate')),
    refusal: () => new ToolError('FAILED', carrier.all('thrown-refusal')),
    text: () => carrier.all('thrown-text'),
    // 20,000 characters are kept: the cut goes through a value
    long: () => new Error(`${'long '.repeat(3_900)}${carrier.all('thrown-long')}`),
  };
  return defineTool({
    name: 'thrower',
    description: 'Fails.',
    input: z.object({ how: z.enum(['error', 'aggregate', 'refusal', 'text', 'long']) }),
    execute: async ({ how }): Promise<string> => Promise.reject(failures[how]?.()),
  });
}
