import { StoreAddressError } from './store-address.ts';

/**
 * Loads the packages that stores of a kind need. Rejects {@link StoreAddressError} with the command that installs them when one of them is
 * missing.
 */
export async function driver<T>(kind: string, packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause, packages)) throw cause;
    throw new StoreAddressError(
      `stores with ${kind} addresses need packages that are not installed; install them with: npm i ${packages}`,
      { cause },
    );
  }
}

/** True if one of the packages itself could not be found, not a dependency of one. */
function isMissing(error: unknown, packages: string): boolean {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return false;
  return packages.split(' ').some((name) => error.message.startsWith(`Cannot find package '${name}'`));
}
