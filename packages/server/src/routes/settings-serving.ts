import type { Cipher, JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { Route, RouteInput } from '@conv/openhands/rest';
import { isRegistryError } from '@conv/store-kit/registry';
import type { FastifyInstance } from 'fastify';

import type { ServerAbout } from './serve-server-info.ts';
import type { ServerPlugins } from '../hosting/server-plugins.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute, type RouteHandler } from '../http/serve-route.ts';
import { StoredObjectError } from '../settings/stored-object-error.ts';

export interface SettingsServing {
  readonly cipher?: Cipher | undefined;
  /** Names the tools that agents may have. Default: none. */
  readonly about?: Pick<ServerAbout, 'tools'> | undefined;
  /** Gives the skills of agents of profiles. Default: they have none. */
  readonly plugins?: Pick<ServerPlugins, 'skillsFor'> | undefined;
  /** The address of GitHub's API. Default: that of github.com. */
  readonly githubApi?: string | undefined;
  /** Default: that of the host. */
  readonly platform?: Platform | undefined;
  /** Asks a model a short question. Rejects with the model's error. Default: only the model's description is checked. */
  readonly checkModel?: ((llm: JsonObject) => Promise<void>) | undefined;
}

type ServeStored = <Input extends RouteInput, Answer>(
  route: Route<Input, Answer>,
  handler: RouteHandler<Input, Answer>,
) => void;

/**
 * Returns `serveRoute` for the routes on a kind of stored objects.
 * @param unreadable the status for an object that cannot be read
 */
export function servingStored(app: FastifyInstance, what: string, unreadable = 409): ServeStored {
  return (route, handler) =>
    serveRoute(app, route, async (call) => {
      try {
        return await handler(call);
      } catch (error) {
        if (isRegistryError(error, 'TOO_LARGE')) throw new ApiError(413, `${what}: ${error.text}`, { cause: error });
        if (isRegistryError(error, 'UNAVAILABLE'))
          throw new ApiError(503, `${what} cannot be reached; try again later`, { cause: error });
        if (!(error instanceof StoredObjectError)) throw error;
        throw new ApiError(unreadable, `${what} file is corrupted or encrypted with a different key`, { cause: error });
      }
    });
}
