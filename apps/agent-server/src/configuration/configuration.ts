import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

import { isHost } from '@conv/egress';
import { SANDBOX_MODES } from '@conv/sandbox';
import { isSafeUrl } from '@conv/server/access';
import { z } from 'zod';

import { OUTSIDE, RUNTIMES, TITLES, type Configuration, type Given } from './effective-configuration.ts';
import { PROTOCOLS } from '../protocols/protocol-names.ts';
import { missingIn } from './missing-settings.ts';
import { isStrongKey, WEAK_KEY } from './strong-key.ts';
import { webhookSettings } from './webhook-settings.ts';

/** Not made by {@link said}, because the value may hold a password. */
const NO_URL = 'must be a URL such as http://10.0.0.7:8000';

const NO_PUBLIC_URL = 'must be an https URL, or http on this machine, such as https://conv.example.com';

/** Messages for wrong settings that hold no key, so that errors may repeat their values. */
const WITH_VALUE = new Set<string>();

const text = z.string().min(1);
const atHome = (path: string): string => path.replace(/^~(?=\/|$)/, homedir());
const folder = text.transform((path) => resolve(atHome(path)));
const list = z.array(text);
const keys = z.array(text.refine(isStrongKey, WEAK_KEY));

/** Digests of a key and of its two cookies, with dots between them. */
const digests = z
  .string()
  .regex(
    /^[\da-f]{64}(?:\.[\da-f]{64}){2}$/,
    'must be the digests of a key, of its session cookie and of its workspace cookie: 64 hexadecimal digits each, with dots between them',
  )
  .transform((given) => {
    const [key = '', session = '', workspace = ''] = given.split('.');
    return { key, session, workspace };
  });

/** Returns the message for a wrong setting that holds no key. Its value is added to it. */
function said(expected: string): string {
  const message = `expected ${expected}`;
  WITH_VALUE.add(message);
  return message;
}

/** A number of the file, or a text of the environment. Other JSON, such as true or "", would count as a number. */
function numberFrom(min: number, what: string, { max = Infinity, whole = false } = {}): z.ZodType<number> {
  const text = said(`${what} from ${min}${max === Infinity ? '' : ` to ${max}`}`);
  const number = z.number(text).min(min, text).max(max, text);
  const given = z
    .unknown()
    .transform((value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value));
  return given.pipe(whole ? number.int(text) : number);
}

/** Timers hold 24 days at most; a longer time would end at once. */
function seconds(min: number): z.ZodType<number> {
  return numberFrom(min, 'a number of seconds', { max: 2_000_000 });
}

const flag = z.union([z.stringbool(), z.boolean()], said('true or false')).default(false);
const limit = z.exactOptional(numberFrom(1, 'a number'));
const limits = z.strictObject(
  { memory: limit, processes: limit, cpu: limit, time: limit, disk: limit },
  said('an object such as {"memory":4294967296,"processes":500}'),
);
const containerLimits = z.strictObject(
  {
    memory: limit,
    processors: z.exactOptional(numberFrom(0.01, 'a number')),
    processes: limit,
    openFiles: limit,
    temporaryFiles: limit,
    disk: limit,
  },
  said('an object such as {"memory":4294967296,"processors":2}'),
);
const rights = {
  scopes: z.array(z.enum(['read', 'run', 'approve', 'admin'], said('read, run, approve or admin'))),
  limits: z.exactOptional(
    z.strictObject({
      own: z.exactOptional(z.boolean()),
      tags: z.exactOptional(z.record(z.string(), z.string())),
      folders: z.exactOptional(z.array(text)),
    }),
  ),
  daily: z.exactOptional(z.strictObject({ runs: limit, cost: z.exactOptional(numberFrom(0.000_001, 'US dollars')) })),
};
const safeUrl = text.refine(isSafeUrl, said('an https URL, or http on this machine'));
const oidc = z.strictObject(
  {
    issuer: safeUrl,
    audience: text,
    jwks: z.exactOptional(safeUrl),
    nameClaim: z.exactOptional(text),
    roleClaim: z.exactOptional(text),
    roles: z.array(z.strictObject({ role: z.exactOptional(text), ...rights })).min(1, said('at least one role')),
    tagClaims: z.exactOptional(z.record(z.string(), text)),
    clockTolerance: z.exactOptional(seconds(0)),
    refresh: z.exactOptional(seconds(0)),
  },
  said('an object such as {"issuer":"https://login.example.com","audience":"conv","roles":[{"scopes":["read"]}]}'),
);
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const ABSOLUTE = said('absolute paths of folders such as /srv/projects');

/** The names that a file may use; all may be left out. */
const fileSchema = z.strictObject({
  host: z
    .string()
    .trim()
    .regex(/^[\w.:%-]+$/, said('a host name or an address such as 127.0.0.1'))
    .optional(),
  port: numberFrom(0, 'a port', { max: 65_535, whole: true }).default(8000),
  sessionKeys: keys.default([]),
  sessionKeyDigests: z.array(digests).default([]),
  approverKeys: keys.default([]),
  oidc: oidc.optional(),
  secretKey: text.optional(),
  oldSecretKeys: list.default([]),
  store: text.optional(),
  conversationsFolder: folder.prefault('workspace/conversations'),
  workspaceFolder: folder.prefault('workspace/project'),
  worktreesFolder: folder.optional(),
  settingsFolder: folder.optional(),
  allowedFolders: z
    .array(text.refine((path) => isAbsolute(atHome(path)), ABSOLUTE).pipe(folder))
    .min(1, said('at least one folder'))
    .default(['/']),
  executor: flag,
  deferredInit: flag,
  sandbox: z.enum(SANDBOX_MODES, said(`one of ${SANDBOX_MODES.join(', ')}`)).default('auto'),
  sandboxLimits: limits.prefault({}),
  sandboxRead: z.array(text.refine((path) => isAbsolute(atHome(path)), ABSOLUTE).pipe(folder)).default([]),
  sandboxHosts: z.array(text).default([]),
  sandboxOutside: z.enum(OUTSIDE, said(`one of ${OUTSIDE.join(', ')}`)).default('never'),
  runtimes: z
    .array(z.enum(RUNTIMES, said(`one of ${RUNTIMES.join(', ')}`)))
    .min(1, said('at least one runtime'))
    .default(['local']),
  containerImage: text.optional(),
  containerLimits: containerLimits.prefault({}),
  containerRuntime: text.optional(),
  corsOrigins: z.array(text.refine(isOrigin, said('* or an origin such as https://example.com:8443'))).default([]),
  corsOriginPattern: text.refine(isPattern, said('a regular expression')).optional(),
  publicUrl: text.max(200).refine(isPublicUrl, NO_PUBLIC_URL).optional(),
  mcpHosts: z.array(text.refine(isHost, said('a host such as login.internal:8443 or 10.0.0.7'))).default([]),
  serverUrl: text.max(200).refine(isServerUrl, NO_URL).optional(),
  serverPeers: z.array(text.refine((url) => isServerUrl(url.replaceAll('*', '0')), NO_URL)).default([]),
  webhooks: webhookSettings.default([]),
  webhookHosts: z.array(text.refine(isHost, said('a host such as hooks.internal:8080 or 10.0.0.7'))).default([]),
  protocols: z
    .array(z.enum([...PROTOCOLS, 'none'], said(`one of ${[...PROTOCOLS, 'none'].join(', ')}`)))
    .transform((names) => PROTOCOLS.filter((name) => names.includes(name)))
    .prefault([...PROTOCOLS]),
  titles: z.enum(TITLES, said(`one of ${TITLES.join(', ')}`)).default('model'),
  agentName: text.optional(),
  agentDescription: text.optional(),
  userFolder: folder.prefault(homedir()),
  pluginHosts: z.array(text.refine(isHost, said('a host such as git.internal:8443 or 10.0.0.7'))).default([]),
  marketplace: text
    .default('https://github.com/OpenHands/extensions')
    .transform((source) => (source === 'off' ? null : source)),
  marketplaceRef: text.optional(),
  takeoverSeconds: seconds(1).default(15),
  maxConcurrentRuns: numberFrom(1, 'a whole number', { whole: true }).default(10),
  reservedCost: numberFrom(0, 'US dollars').default(0.05),
  approvalSeconds: seconds(1).optional(),
  bashEventSeconds: numberFrom(1, 'a whole number of seconds', { max: 2_000_000_000, whole: true }).optional(),
  idleSeconds: seconds(1).default(1200),
  abandonedSeconds: seconds(0.01).optional(),
  shutdownSeconds: seconds(0).default(20),
  logLevel: z.enum(levels, said(`one of ${levels.join(', ')}`)).default('info'),
  logJson: flag,
  metricsOpen: flag,
  staticFolder: folder.optional(),
  studioFolder: folder.optional(),
});

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(fileSchema.shape);

/** An error in the configuration, in lines for people. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * Merges sources of settings into a configuration; the first source wins. `nameOf` returns the name of a setting for errors. Throws
 * {@link ConfigurationError}, which names the wrong settings and never repeats a key.
 */
export function toConfiguration(
  given: readonly Given[],
  nameOf: (setting: string) => string,
  ownFiles: readonly string[] = [],
): Configuration {
  const merged: Record<string, unknown> = {};
  for (const layer of given.toReversed())
    for (const [name, value] of Object.entries(layer)) if (value !== undefined) merged[name] = value;
  const read = fileSchema.safeParse(merged);
  if (!read.success)
    throw new ConfigurationError(read.error.issues.map((issue) => describe(issue, nameOf, merged)).join('\n'));
  const {
    host,
    oidc: login,
    secretKey,
    store,
    worktreesFolder,
    settingsFolder,
    corsOriginPattern,
    staticFolder,
    studioFolder,
    publicUrl,
    serverUrl,
    containerImage,
    containerRuntime,
    marketplaceRef,
    abandonedSeconds,
    approvalSeconds,
    bashEventSeconds,
    agentName,
    agentDescription,
    ...rest
  } = read.data;
  const configuration = {
    ...rest,
    ownFiles,
    host: host ?? '127.0.0.1',
    oidc: login,
    secretKey,
    store: store ?? `fs:${rest.conversationsFolder}`,
    worktreesFolder: worktreesFolder ?? join(rest.conversationsFolder, '..', 'worktrees'),
    settingsFolder: settingsFolder ?? join(rest.conversationsFolder, '..', '.openhands'),
    corsOriginPattern,
    staticFolder,
    studioFolder,
    publicUrl,
    serverUrl,
    containerImage,
    containerRuntime,
    marketplaceRef,
    abandonedSeconds,
    approvalSeconds,
    bashEventSeconds,
    agentName,
    agentDescription,
    complete: undefined,
  };
  const missing = missingIn(configuration);
  if (missing) throw new ConfigurationError(`${nameOf(missing.setting)}: ${missing.text}`);
  return configuration;
}

function describe(
  issue: z.core.$ZodIssue,
  nameOf: (setting: string) => string,
  given: Readonly<Record<string, unknown>>,
): string {
  const [setting = '', ...rest] = issue.path.map(String);
  const place = rest.length === 0 ? '' : ` (${rest.join('.')})`;
  const found = WITH_VALUE.has(issue.message) ? `, found ${JSON.stringify(given[setting])}` : '';
  return `${nameOf(setting)}${place}: ${issue.message}${found}`;
}

/** True for the form of a browser's `Origin` header: without a path, and without a slash at its end. */
function isOrigin(origin: string): boolean {
  return (
    origin === '*' || origin === 'null' || (URL.canParse(origin) && /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/i.test(origin))
  );
}

function isServerUrl(url: string): boolean {
  return /^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/.test(url) && URL.canParse(url);
}

function isPublicUrl(url: string): boolean {
  return isServerUrl(url) && isSafeUrl(url);
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}
