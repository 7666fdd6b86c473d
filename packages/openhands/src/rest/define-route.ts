import type { z } from 'zod';
import type { Bytes, Route } from './route.ts';

/** The parts of a route beside its endpoint and its summary. */
type RouteParts = Partial<
  Pick<
    Route,
    | 'allConversations'
    | 'auth'
    | 'bodyOptional'
    | 'codes'
    | 'errors'
    | 'exposeSecrets'
    | 'extension'
    | 'headers'
    | 'idempotencyKey'
    | 'otherSuccess'
    | 'success'
    | 'upload'
  >
> & {
  /** Required, so that no route is open by accident. */
  readonly scope: Route['scope'];
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType | Bytes | 'empty';
};

/** Input of a route, as its schemas give it. */
type InputOf<Parts> = {
  [Part in keyof Parts & ('params' | 'query' | 'body')]: Parts[Part] extends z.ZodType<infer Value> ? Value : never;
} & {};

/** Answer of a route: the type that its schema gives, bytes, or nothing. */
type AnswerOf<Parts extends RouteParts> =
  Parts['answer'] extends z.ZodType<infer Answer> ? Answer : Parts['answer'] extends Bytes ? Uint8Array : void;

/** Makes a route that needs a key and answers 200 by default. Its types are those of the schemas. */
export function defineRoute<const Parts extends RouteParts>(
  tag: string,
  endpoint: `${Route['method']} /${string}`,
  operationId: string,
  summary: string,
  parts: Parts,
): Route<InputOf<Parts>, AnswerOf<Parts>> {
  const [method, path = ''] = endpoint.split(' ');
  const route: Route = {
    method: method as Route['method'],
    path,
    operationId,
    tag,
    summary,
    auth: 'session',
    success: 200,
    ...parts,
  };
  return route as Route<InputOf<Parts>, AnswerOf<Parts>>;
}
