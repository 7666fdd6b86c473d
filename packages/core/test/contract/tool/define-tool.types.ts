import { z } from 'zod';
import { z as three } from 'zod-3';
import { z as fourOne } from 'zod-4-1';

import { defineTool, text, type Tool } from '../../../src/contract/tool/index.ts';

const input = z.object({ name: z.string(), count: z.int().default(1) });
const about = { name: 'typed', description: '', input };

defineTool({ ...about, execute: ({ name, count }) => name.repeat(count) }) satisfies Tool;
defineTool({ ...about, execute: async (_, { signal }) => text(String(signal.aborted)) }) satisfies Tool;
defineTool({ ...about, execute: () => ({ content: text('no'), isError: true }) }) satisfies Tool;
defineTool({ ...about, output: z.array(z.number()), execute: () => [1, 2] }) satisfies Tool;
defineTool({
  ...about,
  output: z.object({ a: z.number().default(1) }),
  execute: () => ({}),
  render: ({ a }) => a.toFixed(),
}) satisfies Tool;
defineTool({ ...about, resources: ({ name }) => [name], execute: () => '' }) satisfies Tool;

// @ts-expect-error what the output schema refuses
defineTool({ ...about, output: z.array(z.number()), execute: () => 'text' });
// @ts-expect-error a value without an output schema
defineTool({ ...about, execute: () => 42 });
// @ts-expect-error an argument that the input does not have
defineTool({ ...about, execute: ({ colour }) => String(colour) });
// @ts-expect-error the input is an object
defineTool({ ...about, input: z.string(), execute: () => '' });
// @ts-expect-error zod 3 has no JSON Schema
defineTool({ ...about, input: three.object({ name: three.string() }), execute: () => '' });

const ofEarlyZod = { ...about, input: fourOne.object({ name: fourOne.string(), count: fourOne.number().default(1) }) };
defineTool({ ...ofEarlyZod, execute: ({ name, count }) => name.repeat(count) }) satisfies Tool;
// @ts-expect-error an argument that the input does not have
defineTool({ ...ofEarlyZod, execute: ({ colour }) => String(colour) });
