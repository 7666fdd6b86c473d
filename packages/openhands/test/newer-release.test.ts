import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../src/index.ts';
import { jsonSchemaOf } from '../src/openapi/json-schema.ts';
import { routes } from '../src/rest/index.ts';
import { sockets } from '../src/sockets/index.ts';
import { arbitraryOf, type Schema } from './support/arbitrary-of-schema.ts';

/** Bodies that refuse unknown members, so that no change is silently left out; the configuration of a server is refused by OpenHands, too. */
const CLOSED: ReadonlySet<string> = new Set(['update_mcp_server body', 'initialize_server body']);

/** Parts of requests that refuse unknown members: rules would be weaker without them, and contents would lose something. */
const STRICT: ReadonlySet<PropertyKey> = new Set(['content', 'policy', 'confirmation_policy', 'security_analyzer']);

/** A member that no release has yet: its name is near to no known name. */
const MEMBER = { zz_member_of_tomorrow: { deep: [1, null, 'x'] } };

const components = openApiDocument({ title: 'Agent server', version: '1.0.0' }).components.schemas as Readonly<
  Record<string, Schema>
>;

type Named = readonly [name: string, schema: z.ZodType];

const isAnObject = ([, schema]: Named): boolean => {
  const described = jsonSchemaOf(schema) as Schema;
  const { properties } =
    described.$ref === undefined ? described : (components[described.$ref.split('/').at(-1) ?? ''] ?? {});
  return properties !== undefined;
};

const named = (name: string, schema: unknown): readonly Named[] =>
  schema instanceof z.ZodType ? [[name, schema]] : [];

const sent = [
  ...routes.flatMap(({ operationId, query, body }) => [
    ...named(`${operationId} query`, query),
    ...named(`${operationId} body`, body),
  ]),
  ...sockets.flatMap(({ path, query, clientFrame }) => [
    ...named(`${path} query`, query),
    ...named(`${path} client frame`, clientFrame),
  ]),
].filter(([name]) => !CLOSED.has(name));

const received = [
  ...routes.flatMap(({ operationId, answer }) => named(`${operationId} answer`, answer)),
  ...sockets.flatMap(({ path, serverFrame }) => named(`${path} server frame`, serverFrame)),
];

const valueOf = (schema: z.ZodType): fc.Arbitrary<unknown> =>
  arbitraryOf(jsonSchemaOf(schema) as Schema, components).filter((value) => schema.safeParse(value).success);

/** Values with the member in each open object, at every depth. */
const newerOf = (schema: z.ZodType): fc.Arbitrary<unknown> =>
  arbitraryOf(jsonSchemaOf(schema) as Schema, components, MEMBER).filter(
    (value) => schema.safeParse(withoutMember(value)).success,
  );

function withoutMember(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, member: unknown) => (name in MEMBER ? undefined : member));
}

const countOf = (value: unknown): number => JSON.stringify(value).split('zz_member_of_tomorrow').length - 1;

const KIND = 'KindOfTomorrow';

/** Answers that are of one kind alone, by their routes. */
const ONE_KIND: ReadonlySet<string> = new Set(
  ['execute', 'start'].flatMap((verb) =>
    ['', '_of_conversation'].map((place) => `${verb}_bash_command${place} answer`),
  ),
);

/**
 * Returns the value with a kind that no release has yet in each object that tells its kind. A piece of an answer keeps its kind: clients ignore
 * others, because the answer follows as an event.
 */
function ofNewerKind(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || !('kind' in member)) return member;
    const isPiece = 'type' in member && member.type === 'delta';
    return typeof member.kind === 'string' && !isPiece ? { ...member, kind: KIND } : member;
  });
}

const kindsOf = (value: unknown): number => JSON.stringify(value).split(KIND).length - 1;

describe('a member of a newer release', () => {
  test('a member of a newer release is tried on the requests and answers of most routes', () => {
    expect([sent, received].map((parts) => parts.filter(isAnObject).length > 40)).toEqual([true, true]);
  });

  test.each(sent.filter(isAnObject))(
    'a member of a newer release is accepted in the request %s, and changes nothing',
    (_, schema) => {
      fc.assert(
        fc.property(valueOf(schema), (value) => {
          expect(schema.parse({ ...(value as object), ...MEMBER })).toMatchObject(schema.parse(value) as object);
        }),
        { numRuns: 10 },
      );
    },
  );

  test.each(sent)('a member of a newer release is accepted at every depth of the request %s', (_, schema) => {
    fc.assert(
      fc.property(newerOf(schema), (value) => {
        const issues = schema.safeParse(value).error?.issues ?? [];
        const open = issues.filter(({ path }) => !path.some((name) => STRICT.has(name)));
        expect(open).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  test.each(received)('a member of a newer release is kept at every depth of the answer %s', (_, schema) => {
    fc.assert(
      fc.property(newerOf(schema), (value) => {
        expect(countOf(schema.parse(value))).toBe(countOf(value));
      }),
      { numRuns: 10 },
    );
  });

  test.each(received.filter(isAnObject))('a member of a newer release is kept in the answer %s', (_, schema) => {
    fc.assert(
      fc.property(valueOf(schema), (value) => {
        expect(schema.parse({ ...(value as object), ...MEMBER })).toMatchObject(MEMBER);
      }),
      { numRuns: 10 },
    );
  });
});

describe('an object of a kind of a newer release', () => {
  test.each(received.filter(([name]) => !ONE_KIND.has(name)))(
    'a member of a newer release is kept at every depth of the answer %s',
    (_, schema) => {
      fc.assert(
        fc.property(newerOf(schema), (value) => {
          const newer = ofNewerKind(value);
          expect(kindsOf(schema.parse(newer))).toBe(kindsOf(newer));
        }),
        { numRuns: 10 },
      );
    },
  );
});
