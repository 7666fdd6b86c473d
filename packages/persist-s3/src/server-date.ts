import type { GetObjectCommand } from '@aws-sdk/client-s3';

/**
 * The time by the service's clock when it answered a command, in epoch milliseconds, once the command was sent; `undefined` when
 * the answer does not say. The SDK keeps the `Date` header to itself.
 */
export function serverDate(command: GetObjectCommand): () => number | undefined {
  let date: number | undefined;
  command.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      date = Date.parse(dateIn(result.response));
      return result;
    },
    { step: 'deserialize', name: 'convServerDate', priority: 'low' },
  );
  return () => (date === undefined || Number.isNaN(date) ? undefined : date);
}

function dateIn(response: unknown): string {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return '';
  const { headers } = response;
  if (typeof headers !== 'object' || headers === null || !('date' in headers)) return '';
  return String(headers.date);
}
