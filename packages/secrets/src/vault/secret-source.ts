import {
  ConversationError,
  describeValue,
  impliedSecretKind,
  REDACTED,
  type LookupSecret,
  type SecretInput,
} from '@conv/core';
import { isObject } from '@conv/core/platform';
import { nameProblem } from './secret-name.ts';
import { unfitForEnvironment } from './unfit-for-environment.ts';

/** Names of headers and parameters that hold keys. */
export const SECRET_NAME: RegExp = /AUTHORIZATION|COOKIE|CREDENTIAL|KEY|PASSWORD|SECRET|SESSION|TOKEN/i;

/** The source of a secret's value; `none`: the secret has no value here, for this reason. */
export type SecretSource =
  | { readonly kind: 'static'; readonly value: string }
  | { readonly kind: 'callable'; readonly get: (options: { readonly signal: AbortSignal }) => unknown }
  | LookupSource
  | { readonly kind: 'none'; readonly reason: string };

/** An HTTP GET that answers with the value. */
export interface LookupSource extends Required<Pick<LookupSecret, 'url' | 'headers'>> {
  readonly kind: 'lookup';
}

/** A source and what its secret is for. */
export interface DescribedSource {
  readonly source: SecretSource;
  readonly description: string | null;
}

/** Reads a source that a program gave. Throws `INVALID_INPUT` with the name of the secret and nothing of its value. */
export function parseSource(name: string, input: SecretInput): DescribedSource {
  const problem = nameProblem(name);
  if (problem !== undefined) throw invalid(name, problem);
  if (typeof input === 'string') return { source: staticSource(name, input), description: null };
  if (typeof input === 'function') return { source: { kind: 'callable', get: input }, description: null };
  if (typeof input !== 'object' || input === null)
    throw invalid(name, `expected a text, { value }, { url } or { get }, found ${describeValue(input)}`);
  const description = input.description ?? null;
  if (description !== null && typeof description !== 'string')
    throw invalid(name, 'its description: expected text, found another value');
  return { source: sourceOf(name, input), description };
}

function sourceOf(name: string, input: object): SecretSource {
  const kind: unknown = Reflect.get(input, 'kind');
  const get: unknown = Reflect.get(input, 'get');
  if (kind === undefined && typeof get === 'function') {
    // Called on its object, as a method would be.
    return { kind: 'callable', get: (options) => Reflect.apply(get, input, [options]) as unknown };
  }
  const named = kind === undefined ? impliedSecretKind(input) : kind;
  if (named === 'LookupSecret')
    return lookupSource(name, Reflect.get(input, 'url'), Reflect.get(input, 'headers') ?? {});
  if (named === 'StaticSecret') return staticSource(name, Reflect.get(input, 'value'));
  throw invalid(name, 'its kind is not known; give a text, { value }, { url } or { get }');
}

function staticSource(name: string, value: unknown): SecretSource {
  // The wire writes a secret without its value like this.
  if (value === null || value === REDACTED) return { kind: 'none', reason: 'it was given without its value' };
  if (typeof value !== 'string') throw invalid(name, 'its value: expected text, found another value');
  const problem = unfitForEnvironment(value);
  if (problem !== undefined) throw invalid(name, problem);
  return { kind: 'static', value };
}

function lookupSource(name: string, url: unknown, headers: unknown): SecretSource {
  if (typeof url !== 'string' || url === '') throw invalid(name, 'its url: expected text, found another value or none');
  if (carriesSecret(url))
    throw invalid(
      name,
      'its url carries a password or a key and is stored as it is; put that into a header, which is stored encrypted',
    );
  if (!isObject(headers)) throw invalid(name, 'its headers: expected an object, found another value');
  const entries = Object.entries(headers).map(([header, value]) => {
    if (typeof value !== 'string' || !isHeader(header, value))
      throw invalid(name, 'one of its headers cannot be sent; correct its name or value');
    return [header, value] as const;
  });
  return { kind: 'lookup', url, headers: Object.fromEntries(entries) };
}

/** True if a URL contains a secret, which belongs in a header because URLs are stored unencrypted. */
function carriesSecret(url: string): boolean {
  // for relative ones the host does not matter
  const parsed = URL.parse(url, 'http://host');
  if (!parsed) return false;
  return parsed.password !== '' || [...parsed.searchParams.keys()].some((name) => SECRET_NAME.test(name));
}

/** True if a request takes this header. */
export function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

/** No cause: what the runtime says of a wrong header contains its value. */
function invalid(name: string, problem: string): ConversationError {
  return new ConversationError('INVALID_INPUT', `secret ${JSON.stringify(name)}: ${problem}`);
}
