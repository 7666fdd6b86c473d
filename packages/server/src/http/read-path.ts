import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Returns the path of a request below the server's prefix as the router reads it, without its query. A client may write each letter as a code, such
 * as `/%61pi` for `/api`, and the host in front (RFC 9112, 3.2.2).
 */
export function readPath({ url }: Pick<FastifyRequest, 'url'>, { prefix }: Pick<FastifyInstance, 'prefix'>): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/);
  return decoded(path).slice(prefix.length);
}

/** Returns the path itself if it is not encoded as URLs are: the router refuses it. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
