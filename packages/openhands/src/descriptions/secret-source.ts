import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

const staticSecretSourceSchema = named(
  'StaticSecret',
  kept({
    description: absent(z.nullable(z.string())),
    kind: absent(z.literal('StaticSecret')),
    value: absent(z.nullable(z.string())),
  }),
);

/** A secret whose value is given. */
export type StaticSecretSource = z.output<typeof staticSecretSourceSchema>;

const lookupSecretSourceSchema = named(
  'LookupSecret',
  kept({
    description: absent(z.nullable(z.string())),
    headers: absent(z.record(z.string(), z.string())),
    kind: absent(z.literal('LookupSecret')),
    url: z.string(),
  }),
);

/** A secret whose value is fetched from a URL when it is needed. */
export type LookupSecretSource = z.output<typeof lookupSecretSourceSchema>;

/** Where a secret's value comes from. */
export type SecretSource = StaticSecretSource | LookupSecretSource | OtherKind;

/** A source by its kind; without one, what has a `url` is looked up and anything else is the value itself. */
export const secretSourceSchema: z.ZodType<SecretSource> = named(
  'SecretSource',
  oneOf<SecretSource>({
    by: 'kind',
    members: { LookupSecret: lookupSecretSourceSchema, StaticSecret: staticSecretSourceSchema },
    absent: (source) => ('url' in source ? 'LookupSecret' : 'StaticSecret'),
    other: otherKindSchema,
  }),
);

/** A conversation's secrets by name. */
export const secretRegistrySchema = named(
  'SecretRegistry',
  kept({
    secret_sources: absent(z.record(z.string(), secretSourceSchema)),
  }),
);
