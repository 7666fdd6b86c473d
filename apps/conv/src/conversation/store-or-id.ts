import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { isStartOfId } from './short-id.ts';

/** Arguments of a command about a store, or about one conversation of it. */
export interface StoreArguments {
  readonly first: string | undefined;
  readonly second: string | undefined;
  /** True if an option names the store. */
  readonly isNamed: boolean;
}

/** The store and the conversation of a command; without an id it is about all conversations. */
export interface ChosenPlace {
  readonly store: string;
  readonly id: string | undefined;
}

/**
 * Tells `ID`, `STORE` and `STORE ID` apart: a single argument is an id when it can be one, or when an option names the store. Throws
 * {@link CommandError} for two stores and for two ids.
 */
export function storeOrId({ first, second, isNamed }: StoreArguments, store: string): ChosenPlace {
  if (first === undefined) return { store, id: undefined };
  if (second === undefined && (isNamed || isStartOfId(first))) return { store, id: first };
  if (!isNamed && !isStartOfId(first)) return { store: first, id: second };
  throw new CommandError(
    exitCodes.usage,
    `expected one id, found ${JSON.stringify(first)} and ${JSON.stringify(second)}; name the store with --store`,
  );
}
