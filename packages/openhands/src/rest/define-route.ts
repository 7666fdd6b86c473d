import type { Route, RouteInput } from './route.ts';

/** What {@link defineRoute} does not take from its first words. */
type RouteParts<Input extends RouteInput, Answer> = Omit<
  Route<Input, Answer>,
  'method' | 'path' | 'operationId' | 'summary' | 'tag' | 'auth' | 'success'
> &
  Partial<Pick<Route<Input, Answer>, 'auth' | 'success'>>;

/** A route that needs the session key and answers 200, unless its parts say otherwise. */
export function defineRoute<Input extends RouteInput, Answer>(
  tag: string,
  endpoint: `${Route['method']} /${string}`,
  operationId: string,
  summary: string,
  parts: RouteParts<Input, Answer>,
): Route<Input, Answer> {
  const [method, path = ''] = endpoint.split(' ');
  return {
    method: method as Route['method'],
    path,
    operationId,
    tag,
    summary,
    auth: 'session',
    success: 200,
    ...parts,
  };
}
