import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept, request } from '../schema/objects.ts';
import { integer, number } from '../schema/scalars.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

/** A folder of the server. */
export interface LocalWorkspacePlace {
  readonly kind?: 'LocalWorkspace';
  readonly working_dir: string;
}

const localWorkspaceSchema: z.ZodType<LocalWorkspacePlace> = named(
  'LocalWorkspace',
  kept({
    kind: absent(z.literal('LocalWorkspace')),
    working_dir: z.string(),
  }),
);

/** A folder of another server. */
export interface RemoteWorkspacePlace {
  readonly api_key?: string | null;
  readonly host: string;
  readonly kind: 'RemoteWorkspace';
  readonly max_connections?: number | null;
  readonly read_timeout?: number;
  readonly working_dir: string;
}

const remoteWorkspaceSchema: z.ZodType<RemoteWorkspacePlace> = named(
  'RemoteWorkspace',
  kept({
    api_key: absent(z.nullable(z.string())),
    host: z.string(),
    kind: z.literal('RemoteWorkspace'),
    max_connections: absent(z.nullable(integer())),
    read_timeout: absent(number(), 600),
    working_dir: z.string(),
  }),
);

/** Where a conversation works. */
export type WorkspacePlace = LocalWorkspacePlace | RemoteWorkspacePlace | OtherKind;

/** A workspace by its kind; without one it is a folder of the server. */
export const workspacePlaceSchema: z.ZodType<WorkspacePlace> = named(
  'BaseWorkspace',
  oneOf<WorkspacePlace>({
    by: 'kind',
    members: { LocalWorkspace: localWorkspaceSchema, RemoteWorkspace: remoteWorkspaceSchema },
    absent: () => 'LocalWorkspace',
    other: otherKindSchema,
    tolerant: true,
  }),
);

/** A workspace that a client asks for: a folder of the server. Other members, such as another client's `type`, are ignored. */
export const requestedWorkspaceSchema: z.ZodType<LocalWorkspacePlace> = request({
  working_dir: z.string(),
  kind: z.literal('LocalWorkspace').default('LocalWorkspace'),
});
