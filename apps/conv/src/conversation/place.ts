import { serverArguments, type ServerOptions } from '../server/given-server.ts';
import { withoutPassword } from './without-password.ts';

/** Options for the place of a command's conversations: a store, or a server. */
export interface PlaceOptions extends ServerOptions {
  /** The address of the store; the default when none was named. */
  readonly store: string;
}

/** The arguments that make another command use the same place, with a space in front. `byDefault` is used without any. */
export function placeArguments(options: PlaceOptions, byDefault: string): string {
  if (options.server !== undefined) return serverArguments(options);
  return options.store === byDefault ? '' : ` --store ${withoutPassword(options.store)}`;
}
