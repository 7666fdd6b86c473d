import { z } from 'zod';

/** Replaces, in wire objects and files, a secret that is not shown or was not stored. */
export const REDACTED = '**********';

/** The schemas of secret sources by their kind, as the wire and the state have them. */
export const SECRET_SOURCES = {
  StaticSecret: z.object({
    description: z.exactOptional(z.nullable(z.string())),
    kind: z.exactOptional(z.literal('StaticSecret')),
    value: z.exactOptional(z.nullable(z.string())),
  }),
  LookupSecret: z.object({
    description: z.exactOptional(z.nullable(z.string())),
    headers: z.exactOptional(z.record(z.string(), z.string())),
    kind: z.exactOptional(z.literal('LookupSecret')),
    url: z.string(),
  }),
};

/** A value that the wire knows, or `null` where it is hidden. */
export type StaticSource = Readonly<z.output<typeof SECRET_SOURCES.StaticSecret>>;

/** A value that an HTTP GET returns; it is requested when a process names the secret. */
export type LookupSecret = Readonly<z.output<typeof SECRET_SOURCES.LookupSecret>>;

/** Returns the kind of a source that names none: it is looked up if it has a `url`, and is a value otherwise. */
export function impliedSecretKind(source: object): keyof typeof SECRET_SOURCES {
  return 'url' in source ? 'LookupSecret' : 'StaticSecret';
}
