import { plainJson, plainLine, plainText } from '@conv/visualize/text';
import { pino, type Logger } from 'pino';

import type { Configuration } from './configuration/effective-configuration.ts';
import { secretsOf } from './configuration/webhook-settings.ts';
import { describeError } from './error-description.ts';

/** Text that replaces keys in the log, wherever they stand in a line. */
const REDACTED = '<secret-hidden>';

/**
 * A log in lines of JSON, or in text for people, on standard error. Keys of this server never appear in it, and errors are
 * described without texts that `hide` removes.
 */
export function createLog(
  { logLevel, logJson, ...configuration }: Configuration,
  hide: (text: string) => string,
): Logger {
  const { sessionKeys, approverKeys, oldSecretKeys, secretKey = '' } = configuration;
  const ofWebhooks = secretsOf(configuration.webhooks);
  const hidden = [...sessionKeys, ...approverKeys, ...oldSecretKeys, secretKey, ...ofWebhooks].filter(
    (key) => key.length >= 8,
  );
  const mask = (line: string): string => hidden.reduce((masked, key) => masked.replaceAll(key, REDACTED), line);
  const write = (line: string): void => void process.stderr.write(mask(logJson ? plainJson(line) : toText(line)));
  const serializers = {
    err: (error: unknown) => (error instanceof Error ? describeError(error, hide) : hide(String(error))),
  };
  return pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, { write });
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/**
 * A line for people: `12:30:00 info  listening url=http://127.0.0.1:8000`. Untrusted text starts no line and holds no control
 * sequence.
 *
 * @internal
 */
export function toText(line: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as Record<string, unknown> & { level: number };
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const rest = Object.entries(fields).map(
    ([name, value]) => ` ${plainLine(name)}=${plainLine(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? indented(String(err.stack)) : '';
  return `${clock} ${(LEVELS[level] ?? '').padEnd(5)} ${plainLine(String(msg))}${rest.join('')}${stack}\n`;
}

/** Indents continuation lines, so that no line of an error looks like a line of the log. */
function indented(text: string): string {
  return plainText(text)
    .split('\n')
    .map((line) => `\n    ${line}`)
    .join('');
}
