import { ConversationError } from '@conv/core';

/** Query of an address: lists are repeated, `undefined` and null are left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** Address of a server: scheme, host, port and base path. */
export class ServerAddress {
  /** Without a slash at its end. */
  readonly url: string;

  /** Throws `INVALID_INPUT` for a wrong address. The default scheme is `http`. */
  constructor(address: string) {
    const url = parse(address);
    const path = url.pathname.replace(/\/+$/, '');
    this.url = `${url.origin}${path}`;
  }

  /** Returns the address of a route. */
  http(path: string, query: Query = {}): URL {
    const url = new URL(`${this.url}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue;
      const values: readonly (string | number | boolean)[] = Array.isArray(value) ? value : [value as string];
      for (const one of values) url.searchParams.append(name, String(one));
    }
    return url;
  }

  socket(path: string, query: Query = {}): URL {
    const url = this.http(path, query);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return url;
  }
}

function parse(address: string): URL {
  const text = typeof address === 'string' ? address.trim() : '';
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (text === '' || !url)
    throw invalid(
      `RemoteWorkspace: host: expected an address such as http://127.0.0.1:8000, found ${JSON.stringify(address)}`,
    );
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(`RemoteWorkspace: host: expected http:// or https://, found ${url.protocol}//`);
  // keys in addresses end up in logs
  if (url.username !== '' || url.password !== '')
    throw invalid('RemoteWorkspace: host: an address must not hold a name or password; give apiKey instead');
  if (url.search !== '' || url.hash !== '')
    throw invalid(
      'RemoteWorkspace: host: an address must not have a query or a fragment; leave out everything from ? or # on',
    );
  return url;
}

function invalid(message: string): ConversationError {
  return new ConversationError('INVALID_INPUT', message);
}
