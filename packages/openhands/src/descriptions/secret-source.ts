import { impliedSecretKind, SECRET_SOURCES, type LookupSecret, type StaticSource } from '@conv/core';
import { z } from 'zod';
import { absent, keptAs, named, oneOf } from '../schema/index.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

/** A secret, described by the source of its value. A hidden value is null. An unknown kind is kept. */
export type SecretSource = StaticSource | LookupSecret | OtherKind;

const members = {
  LookupSecret: named('LookupSecret', SECRET_SOURCES.LookupSecret.loose()),
  StaticSecret: named('StaticSecret', SECRET_SOURCES.StaticSecret.loose()),
};

/** A source by its kind; without one, what has a `url` is looked up and anything else is the value itself. */
export const secretSourceSchema: z.ZodType<SecretSource> = named(
  'SecretSource',
  oneOf<SecretSource>({ by: 'kind', members, absent: impliedSecretKind, other: otherKindSchema }),
);

/** A conversation's secrets by name. */
export const secretRegistrySchema = keptAs('SecretRegistry', {
  secret_sources: absent(z.record(z.string(), secretSourceSchema)),
});
