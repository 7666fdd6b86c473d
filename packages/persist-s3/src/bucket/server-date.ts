import type { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';

/**
 * Returns a function that tells when the service answered a command, in epoch milliseconds of the service's clock. It returns
 * `undefined` before the answer, and when the answer does not tell. A middleware reads it because the SDK does not pass on the
 * `Date` header.
 */
export function serverDate(command: GetObjectCommand | ListObjectsV2Command): () => number | undefined {
  let date: number | undefined;
  // The stacks of both commands have this method in common, but their types do not.
  (command as GetObjectCommand).middlewareStack.add(
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
