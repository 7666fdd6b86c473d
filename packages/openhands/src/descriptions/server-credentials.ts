import type { Json, JsonObject } from '@conv/core';

/** Replaces a credential that stands in a text among other things. */
export type ConvertCredential = (text: string) => string;

/** Settings of a search for credentials of MCP servers. */
export interface CredentialSearch {
  readonly convert: ConvertCredential;
  /** Values that are known to be secret, wherever they stand. */
  readonly known: readonly string[];
}

/** Names of options and variables that hold a credential, by their last word: `--api-key` does, `--token-limit` does not. */
const LAST_WORD =
  /(?:^|[-_.]|(?<=[a-z])(?=[A-Z]))(?:api[-_]?key|apikey|key|token|secret|password|passwd|passphrase|pwd|pat|credentials?|bearer)$/i;
/** Headers and parameters of addresses that hold a credential. */
const SAYS_CREDENTIAL = /key|token|secret|passw|pwd|credential|auth|cookie|session|signature|(?:^|[-_])sig$/i;
/** Forms of the credentials that providers hand out, and of tokens of the wire's cipher. */
const FORMS =
  /\b(?:sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{16,}|gh[opsur]_\w{30,}|github_pat_\w{30,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AKIA[A-Z0-9]{16}|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|gAAAAA[\w-]{20,}={0,2})/g;
/** An option whose value is the next argument. */
const FLAG = /^--?([A-Za-z][\w.-]*)$/;
const ASSIGNED = /^((?:--?)?([A-Za-z_][\w.-]*)=)([^]+)$/;
const HEADER = /^(([A-Za-z][A-Za-z0-9-]*):\s*(?:(?:bearer|basic|token|apikey|key)\s+)?)([^/\s][^]*)$/i;
const PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:)([^\s/?#@]+)(?=@)/gi;
const PARAMETER = /([?&;]([^\s=&;#?]+)=)([^\s&;#]+)/g;
/** Only names a secret. */
const REFERENCE = /\$(?:\{[A-Za-z_]|[A-Z_])/;
const PLAIN = /^(?:true|false|yes|no|on|off|null|\d{1,6})$/i;
const PATH = /^(?:~|\.{1,2})?\/[^=+]*[./]|^[A-Za-z]:\\/;

/** The configuration of an MCP server with `convert` applied to each credential in its arguments and its address. */
export function mapCredentials(server: JsonObject, search: CredentialSearch): JsonObject {
  const { args, url } = server;
  return {
    ...server,
    ...(Array.isArray(args) ? { args: mapArguments(args, search) } : {}),
    ...(typeof url === 'string' ? { url: mapText(url, search) } : {}),
  };
}

/** A text with `convert` applied to the passwords in its addresses, such as `https://user:password@host`. */
export function mapPasswords(text: string, convert: ConvertCredential): string {
  return text.replace(PASSWORD, (whole, before: string, value: string) =>
    isCredential(value) ? before + convert(value) : whole,
  );
}

function mapArguments(args: readonly Json[], search: CredentialSearch): Json[] {
  return args.map((argument, index) => {
    if (typeof argument !== 'string') return argument;
    const before = args[index - 1];
    const flag = typeof before === 'string' ? FLAG.exec(before)?.[1] : undefined;
    const isValue = flag !== undefined && LAST_WORD.test(flag) && !argument.startsWith('-');
    return isValue && isCredential(argument) ? search.convert(argument) : mapArgument(argument, search);
  });
}

function mapArgument(argument: string, search: CredentialSearch): string {
  const [, assignment, name, value] = ASSIGNED.exec(argument) ?? [];
  if (assignment !== undefined && name !== undefined && value !== undefined) {
    const isOwn = LAST_WORD.test(name) && isCredential(value);
    return assignment + (isOwn ? search.convert(value) : mapArgument(value, search));
  }
  const [, header, field, content] = HEADER.exec(argument) ?? [];
  if (header !== undefined && field !== undefined && content !== undefined)
    if (SAYS_CREDENTIAL.test(field) && isCredential(content)) return header + search.convert(content);
  return mapText(argument, search);
}

function mapText(text: string, { convert, known }: CredentialSearch): string {
  const done = new Set<string>();
  const converted = (value: string): string => {
    const result = convert(value);
    done.add(result);
    return result;
  };
  const addressed = mapPasswords(text, converted).replace(
    PARAMETER,
    (whole, before: string, name: string, value: string) =>
      SAYS_CREDENTIAL.test(name) && isCredential(value) && !done.has(value) ? before + converted(value) : whole,
  );
  const withoutKnown = known.reduce((rest, value) => rest.replaceAll(value, () => converted(value)), addressed);
  return withoutKnown.replaceAll(FORMS, (value) => (done.has(value) ? value : convert(value)));
}

function isCredential(value: string): boolean {
  return !REFERENCE.test(value) && !PLAIN.test(value) && !PATH.test(value);
}
