import { readFileSync } from 'node:fs';

/** Variables that hold keys of a server. Variables that name files do not. */
const KEYS =
  /^(?:(?:(?:OH_)?SESSION_API_KEYS?|CONV_APPROVER_KEYS?|OH_SECRET_KEY|CONV_OLD_SECRET_KEYS?|LLM_API_KEY)(?:_\d+)?|(?:CONV|OH)_WEBHOOKS|OH_WEBHOOKS_\d+_HEADERS|OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS)$/;

/**
 * Returns the names of the variables with keys that a process was started with, where the system shows them: every process of the same user,
 * agents' commands too, can read them there for as long as that process lives.
 */
export function keysShownBy(pid: number): readonly string[] {
  let environment: string;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // not on this system, or another user's
    return [];
  }
  return environment
    .split('\0')
    .filter((entry) => !entry.endsWith('='))
    .map((entry) => entry.slice(0, entry.indexOf('=')))
    .filter((name) => KEYS.test(name))
    .toSorted();
}
