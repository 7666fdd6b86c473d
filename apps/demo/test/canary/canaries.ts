import { createHash } from 'node:crypto';

/** A secret that must not be found anywhere. */
export interface Canary {
  /** The name of the secret in marks; no identifier, so that a command with a mark does not name the secret. */
  readonly id: string;
  readonly value: string;
}

/** Twenty values, the same in every run. */
export const canaries: readonly Canary[] = [
  { id: 'plain-token', value: `tok_${letters('plain', 26)}` },
  { id: 'prefix-short', value: `pfx_${letters('prefix', 14)}` },
  { id: 'prefix-long', value: `pfx_${letters('prefix', 14)}${letters('rest', 18)}` },
  { id: 'password-short', value: `${letters('password', 9)}!` },
  { id: 'password-long', value: `${letters('password', 9)}!-${letters('more', 12)}` },
  { id: 'key-file', value: keyFile('PRIVATE', '\n') },
  { id: 'key-file-crlf', value: keyFile('SIGNING', '\r\n') },
  { id: 'json-document', value: jsonDocument() },
  {
    id: 'quoted',
    value: `q"${letters('q1', 7)}'${letters('q2', 7)}\\${letters('q3', 6)}\n${letters('q4', 9)}$\`!${letters('q5', 5)}`,
  },
  { id: 'unicode', value: `пароль-${letters('u1', 5)}-秘密の鍵-🔑${letters('u2', 6)}-ümläut` },
  { id: 'url-unsafe', value: `%41+/=&?#${letters('l1', 8)}%zz ${letters('l2', 8)}/+%2F` },
  { id: 'digits', value: '901358274619852' },
  { id: 'long', value: letters('long', 700) },
  { id: 'base64-looking', value: createHash('sha512').update('base64').digest('base64') },
  { id: 'from-function', value: `fn_${letters('function', 24)}` },
  { id: 'from-lookup', value: `lk_${letters('lookup', 24)}` },
  { id: 'lookup-header', value: `hd_${letters('header', 24)}` },
  { id: 'rotated-old', value: `rot_${letters('old', 20)}` },
  { id: 'rotated-new', value: `rot_${letters('new', 20)}` },
  { id: 'model-key', value: `mk_live_${letters('model', 28)}` },
];

/** Their values by id. */
export type CanaryValues = Readonly<Record<string, string>>;

export const canaryValues: CanaryValues = Object.fromEntries(canaries.map(({ id, value }) => [id, value]));

/** Letters and digits that follow from the seed. */
function letters(seed: string, length: number): string {
  let text = '';
  for (let round = 0; text.length < length; round++) {
    text += createHash('sha512').update(`${seed} ${round}`).digest('base64').replaceAll(/[+/=]/g, '');
  }
  return text.slice(0, length);
}

function keyFile(kind: string, lineBreak: string): string {
  const body = letters(kind, 64 * 5 + 22);
  const lines = body.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${kind} KEY-----`, ...lines, `-----END ${kind} KEY-----`, ''].join(lineBreak);
}

function jsonDocument(): string {
  return JSON.stringify({
    kto: letters('account', 12),
    sls: `-----BEGIN KEY-----\n${letters('inner1', 40)}\n${letters('inner2', 40)}\n-----END KEY-----\n`,
    zgg: { pfd: `/${letters('path', 10)}/"x"`, glt: 7 },
  });
}
