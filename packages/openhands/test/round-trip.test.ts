import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../src/index.ts';
import { routes } from '../src/rest/index.ts';
import { sockets } from '../src/sockets/index.ts';
import { jsonSchemaOf } from '../src/openapi/json-schema.ts';
import { arbitraryOf, type Schema } from './support/arbitrary-of-schema.ts';

const described = openApiDocument({ title: 'Agent server', version: '1.0.0' }).components.schemas as Readonly<
  Record<string, Schema>
>;

/** Rules with a prompt, which have no classes. */
function withPrompt(name: string): Schema {
  const { properties, required = [] } = described[name] ?? {};
  const own = { prompt_template: { const: 'Choose for {{ instance_text }}' }, classes: { const: [] } };
  return { ...described[name], properties: { ...properties, ...own }, required: [...required, 'prompt_template'] };
}

/** The document does not say what core asks of a client tool, which is a name that models can call and the schema of an object, nor what rules ask of a prompt. */
const components = {
  ...described,
  ClientToolSpec: {
    ...described['ClientToolSpec'],
    properties: {
      ...described['ClientToolSpec']?.properties,
      name: { type: 'string', format: 'uuid' },
      parameters: { const: { type: 'object', properties: {} } },
    },
  },
  MetaProfile: withPrompt('MetaProfile'),
  SavedMetaProfile: withPrompt('SavedMetaProfile'),
};

/** True for a value with a title, or the name of a sub-agent, of spaces alone, which no pattern of the document refuses. */
function hasBlankName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { title, agent_definitions: agents } = value as {
    readonly title?: unknown;
    readonly agent_definitions?: readonly { readonly name: string }[] | null;
  };
  return [title, ...(agents ?? []).map(({ name }) => name)].some((name) => /^\s+$/.test(String(name)));
}

const parts = routes.flatMap(({ operationId, params, query, body, answer }) =>
  [
    [`${operationId} params`, params] as const,
    [`${operationId} query`, query] as const,
    [`${operationId} body`, body] as const,
    [`${operationId} answer`, answer instanceof z.ZodType ? answer : undefined] as const,
  ].flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema] as const])),
);

const frames = sockets.flatMap(({ path, query, serverFrame, clientFrame }) => [
  [`${path} query`, query] as const,
  [`${path} server frame`, serverFrame] as const,
  [`${path} client frame`, clientFrame] as const,
]);

const written = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

describe('a schema reads what it writes', () => {
  test.each([...parts, ...frames])('%s', (_, schema) => {
    fc.assert(
      fc.property(arbitraryOf(jsonSchemaOf(schema) as Schema, components), (value) => {
        fc.pre(!hasBlankName(value));
        const first = written(schema.parse(value));
        expect(written(schema.parse(first))).toEqual(first);
      }),
      { numRuns: 25 },
    );
  });
});
