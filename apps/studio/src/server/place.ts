import { defaultStoreAddress, parseStoreAddress, type StoreAddress } from '@conv/stores';

/** The store or the server that studio stands in front of. */
export type Place =
  | { readonly kind: 'server'; readonly url: string }
  | { readonly kind: 'store'; readonly address: string; readonly parsed: StoreAddress };

/** Error with a message for the person who starts studio. */
export class StudioError extends Error {
  override readonly name = 'StudioError';
}

/**
 * Reads what studio is given: the address of a store or of a server. Default: this user's own store.
 *
 * @throws StudioError or StoreAddressError, neither of which repeats a password.
 */
export function placeOf(given: string | undefined, environment: Readonly<Record<string, string | undefined>>): Place {
  const address = given ?? defaultStoreAddress(environment);
  if (!/^https?:/i.test(address)) return { kind: 'store', address, parsed: parseStoreAddress(address) };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new StudioError(
      'expected the address of a server such as https://agents.example:8000, found a password, a query or no address; pass its key with --server-key VARIABLE',
    );
  return { kind: 'server', url: url.href.replace(/\/+$/, '') };
}

/** Returns a place as a page may show it, without a password. */
export function shownPlace(place: Place): string {
  if (place.kind === 'server') return place.url;
  return place.address.replace(/(:\/\/[^/?#@]*?):[^/?#]*@/, '$1:***@').replace(/([?&]password=)[^&]*/gi, '$1***');
}

/** The kind of a place, as the page is told. */
export function kindOf(place: Place): 'server' | StoreAddress['kind'] {
  return place.kind === 'server' ? 'server' : place.parsed.kind;
}
