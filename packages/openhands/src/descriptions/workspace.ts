import type { JsonObject } from '@conv/core/events';
import { z } from 'zod';
import { absent, described, integer, named, number, oneOf, request } from '../schema/index.ts';
import { otherKindSchema } from './other-kind.ts';

/** A folder of the server. */
const localWorkspaceSchema = described('LocalWorkspace', {
  kind: absent(z.literal('LocalWorkspace')),
  working_dir: z.string(),
});

/** A folder of another server. */
const remoteWorkspaceSchema = described('RemoteWorkspace', {
  api_key: absent(z.nullable(z.string())),
  host: z.string(),
  kind: z.literal('RemoteWorkspace'),
  max_connections: absent(z.nullable(integer())),
  read_timeout: absent(number(), 600),
  working_dir: z.string(),
});

/** Where a conversation works. */
export const workspacePlaceSchema = named(
  'BaseWorkspace',
  oneOf<JsonObject>({
    by: 'kind',
    members: { LocalWorkspace: localWorkspaceSchema, RemoteWorkspace: remoteWorkspaceSchema },
    absent: () => 'LocalWorkspace',
    other: otherKindSchema,
    tolerant: true,
  }),
);

/** A workspace that a client asks for: a folder of the server. Other members, such as another client's `type`, are ignored. */
export const requestedWorkspaceSchema = request({
  working_dir: z.string(),
  kind: z.literal('LocalWorkspace').default('LocalWorkspace'),
});
