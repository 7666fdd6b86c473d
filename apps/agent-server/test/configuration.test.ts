import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { keyDigests } from '@conv/server';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Configuration } from '../src/configuration/effective-configuration.ts';
import { checkVariables } from '../src/configuration/environment.ts';
import { readConfiguration, type Sources } from '../src/configuration/read-configuration.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conv-configuration-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(environment: Sources['environment'] = {}, options: Sources['options'] = {}): Promise<Configuration> {
  return readConfiguration({ options, environment });
}

function fileWith(content: string): string {
  const file = join(folder, 'server.json');
  writeFileSync(file, content);
  return file;
}

test('without anything it listens on this machine alone, and keeps conversations in a folder', async () => {
  expect(await read()).toEqual({
    host: '127.0.0.1',
    port: 8000,
    sessionKeys: [],
    sessionKeyDigests: [],
    approverKeys: [],
    secretKey: undefined,
    oldSecretKeys: [],
    store: `fs:${resolve('workspace/conversations')}`,
    conversationsFolder: resolve('workspace/conversations'),
    workspaceFolder: resolve('workspace/project'),
    worktreesFolder: resolve('workspace/worktrees'),
    settingsFolder: resolve('workspace/.openhands'),
    allowedFolders: ['/'],
    executor: false,
    runtimes: ['local'],
    containerImage: undefined,
    containerLimits: {},
    containerRuntime: undefined,
    sandbox: 'auto',
    sandboxLimits: {},
    sandboxRead: [],
    sandboxHosts: [],
    sandboxOutside: 'never',
    corsOrigins: [],
    corsOriginPattern: undefined,
    serverUrl: undefined,
    serverPeers: [],
    webhooks: [],
    webhookHosts: [],
    takeoverSeconds: 15,
    maxConcurrentRuns: 10,
    reservedCost: 0.05,
    oidc: undefined,
    approvalSeconds: undefined,
    idleSeconds: 1200,
    abandonedSeconds: undefined,
    shutdownSeconds: 20,
    logLevel: 'info',
    logJson: false,
    metricsOpen: false,
    staticFolder: undefined,
    studioFolder: undefined,
    ownFiles: [],
  });
});

const [OLD, NEW] = ['old-key-0123456789', 'new-key-0123456789'] as const;

test.each(['CONV_CI', 'CONV_ID', 'CONV_SECRET_OF_MINE', 'OH_MY_ZSH'])(
  'a variable %s of another program is none of its own',
  async (name) => {
    expect(await read({ [name]: 'x' })).toMatchObject({ port: 8000 });
  },
);

test('a key moves it to no other address, and encrypts nothing', async () => {
  const environment = { OH_SESSION_API_KEYS_1: NEW, OH_SESSION_API_KEYS_0: OLD };
  expect(await read(environment)).toMatchObject({
    host: '127.0.0.1',
    sessionKeys: [OLD, NEW],
    secretKey: undefined,
  });
  expect(await read({ SESSION_API_KEY: OLD })).toMatchObject({ sessionKeys: [OLD] });
  expect(await read({ OH_SESSION_API_KEYS: `["${OLD}","${NEW}"]`, OH_SECRET_KEY: 's' })).toMatchObject({
    sessionKeys: [OLD, NEW],
    secretKey: 's',
  });
});

test('keys come from files, one a line, whose names stand in variables, options or the configuration', async () => {
  const [keys, secret] = [join(folder, 'keys'), join(folder, 'secret')];
  writeFileSync(keys, `${OLD}\n\n${NEW}\n`);
  writeFileSync(secret, 'the new one\nthe one before\n');
  const expected = { sessionKeys: [OLD, NEW], secretKey: 'the new one', oldSecretKeys: ['the one before'] };
  expect(await read({ OH_SESSION_API_KEYS_FILE: keys, OH_SECRET_KEY_FILE: secret })).toMatchObject(expected);
  expect(await read({ SESSION_API_KEY_FILE: keys })).toMatchObject({ sessionKeys: [OLD, NEW] });
  expect(await read({}, { sessionKeysFile: keys, secretKeyFile: secret })).toMatchObject(expected);
  expect(await read({}, { approverKeysFile: keys })).toMatchObject({ approverKeys: [OLD, NEW] });
  const config = fileWith(JSON.stringify({ sessionKeysFile: keys, secretKeyFile: secret }));
  expect(await read({}, { config })).toMatchObject(expected);
  writeFileSync(keys, '\n');
  await expect(read({ OH_SESSION_API_KEYS_FILE: keys })).rejects.toThrow(/sessionKeysFile: .* found an empty file/);
  await expect(read({ OH_SECRET_KEY_FILE: '/nowhere' })).rejects.toThrow(
    /secretKeyFile: .*cannot be read [(]ENOENT[)]/,
  );
  await expect(read({ OH_SECRET_KEY_FILE: secret, OH_SECRET_KEY: 'another' })).rejects.toThrow('not both');
});

test.each(['sessionKeysFile', 'approverKeysFile', 'secretKeyFile', 'oldSecretKeysFile', 'the configuration'])(
  '%s is no file that every user of the machine can change',
  async (what) => {
    const file = join(folder, 'open.json');
    writeFileSync(file, what === 'the configuration' ? '{}' : `${OLD}\n`);
    const reading = (): Promise<unknown> =>
      read({}, what === 'the configuration' ? { config: file } : { [what]: file });
    chmodSync(file, 0o664);
    await reading();
    chmodSync(file, 0o666);
    await expect(reading()).rejects.toThrow(
      `${what}: expected a file that no other user of this machine can change, found ${file} with mode 0666; run chmod o-w ${file}`,
    );
  },
);

test('the file of a login is no file that other users can change, and is kept from programs in the sandbox', async () => {
  const file = join(folder, 'login.json');
  const login = { issuer: 'https://login.example', audience: 'conv', roles: [{ scopes: ['read'] }] };
  writeFileSync(file, JSON.stringify(login));
  expect(await read({}, { oidc: file })).toMatchObject({ oidc: login, ownFiles: [file] });
  chmodSync(file, 0o666);
  await expect(read({}, { oidc: file })).rejects.toThrow(
    `--oidc: expected a file that no other user of this machine can change, found ${file} with mode 0666`,
  );
});

test('the limits of programs in the sandbox are members of an object', async () => {
  const limits = { memory: 4 * 2 ** 30, processes: 500 };
  expect(await read({ CONV_SANDBOX_LIMITS: JSON.stringify(limits) })).toMatchObject({ sandboxLimits: limits });
  const config = fileWith(JSON.stringify({ sandboxLimits: { cpu: 60 } }));
  expect(await read({}, { config })).toMatchObject({ sandboxLimits: { cpu: 60 } });
  const wrong = [
    ['500', 'expected an object such as'],
    ['{"processes":0}', 'expected a number from 1'],
    ['{"threads":5}', 'threads'],
  ] as const;
  for (const [text, message] of wrong)
    await expect(read({ CONV_SANDBOX_LIMITS: text })).rejects.toThrow(
      expect.objectContaining({ message: expect.stringMatching(new RegExp(`^CONV_SANDBOX_LIMITS.*${message}`)) }),
    );
});

test('hosts that programs in the sandbox reach are refused without a network of it', async () => {
  const sandboxHosts = ['example.org', '*.example.com:443'];
  expect(await read({ CONV_SANDBOX_HOSTS: JSON.stringify(sandboxHosts) })).toMatchObject({ sandboxHosts });
  expect(await read({ CONV_SANDBOX_HOSTS: 'example.org:8443' })).toMatchObject({ sandboxHosts: ['example.org:8443'] });
  expect(await read({}, { sandboxHosts })).toMatchObject({ sandboxHosts });
  for (const sandbox of ['off', 'closed'] as const)
    await expect(read({ CONV_SANDBOX_HOSTS: 'example.org' }, { sandbox })).rejects.toThrow(
      `CONV_SANDBOX_HOSTS: it has no effect with the sandbox ${sandbox}`,
    );
});

test('paths that programs in the sandbox read are absolute, and refused when it is off', async () => {
  const sandboxRead = ['/srv/servers', '/srv/data/file'];
  expect(await read({ CONV_SANDBOX_READ: sandboxRead.join(':') })).toMatchObject({ sandboxRead });
  expect(await read({}, { sandboxRead })).toMatchObject({ sandboxRead });
  await expect(read({ CONV_SANDBOX_READ: 'servers' })).rejects.toThrow(/CONV_SANDBOX_READ.*absolute paths/);
  await expect(read({ CONV_SANDBOX: 'off', CONV_SANDBOX_READ: '/srv' })).rejects.toThrow(
    'CONV_SANDBOX_READ: it has no effect without a sandbox',
  );
});

test('a way out of the sandbox is asked for by name, and refused where there is none to leave', async () => {
  expect(await read({ CONV_SANDBOX_OUTSIDE: 'ask' })).toMatchObject({ sandboxOutside: 'ask' });
  await expect(read({ CONV_SANDBOX_OUTSIDE: 'always' })).rejects.toThrow(/CONV_SANDBOX_OUTSIDE.*one of never, ask/);
  await expect(read({ CONV_SANDBOX: 'off', CONV_SANDBOX_OUTSIDE: 'ask' })).rejects.toThrow(
    'CONV_SANDBOX_OUTSIDE: without a sandbox no command is outside of it',
  );
});

test('limits of a sandbox that is off are refused by name', async () => {
  await expect(read({ CONV_SANDBOX: 'off', CONV_SANDBOX_LIMITS: '{"processes":5}' })).rejects.toThrow(
    'CONV_SANDBOX_LIMITS: it has no effect without a sandbox. Set CONV_SANDBOX to auto or on, or leave the limits out',
  );
  expect(await read({ CONV_SANDBOX: 'off' })).toMatchObject({ sandbox: 'off', sandboxLimits: {} });
});

test('an address that others reach needs a key, and a fleet needs all that its servers share', async () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'agents.example', '127.0.0.1.example'])
    await expect(read({ CONV_HOST: host })).rejects.toThrow(
      `CONV_HOST: other machines can reach ${host}, but no key is set. Set OH_SESSION_API_KEYS_FILE or OH_SESSION_API_KEYS_0`,
    );
  await expect(read({}, { host: '0.0.0.0' })).rejects.toThrow('--host: other machines can reach 0.0.0.0');
  expect(await read({ CONV_HOST: '0.0.0.0', SESSION_API_KEY: OLD })).toMatchObject({ host: '0.0.0.0' });
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    expect(await read({ CONV_HOST: host })).toMatchObject({ host });
  const fleet = { CONV_SERVER_URL: 'http://10.0.0.7:8000' };
  await expect(read(fleet)).rejects.toThrow('CONV_SERVER_URL: the servers of a fleet need a shared session key');
  const keyed = { ...fleet, SESSION_API_KEY: OLD };
  await expect(read(keyed)).rejects.toThrow('need a shared secret key');
  await expect(read({ ...keyed, OH_SECRET_KEY: 's' })).rejects.toThrow(
    'OH_SECRET_KEY: the servers of a fleet trust each other by this key: a key must have at least 16 characters',
  );
  await expect(read({ ...keyed, OH_SECRET_KEY: NEW })).rejects.toThrow('Set CONV_SERVER_PEERS');
  await expect(read({ CONV_SERVER_PEERS: 'http://10.0.0.*:8000' })).rejects.toThrow(
    'CONV_SERVER_PEERS: it has no effect alone. Set CONV_SERVER_URL',
  );
  await expect(read({ SESSION_API_KEY: OLD, CONV_APPROVER_KEYS: OLD })).rejects.toThrow(
    'must differ from every session key',
  );
});

test('the variables of an OpenHands server are known', async () => {
  const environment = {
    OH_CONVERSATIONS_PATH: '/data/conversations',
    OH_PERSISTENCE_DIR: '~/.openhands',
    OH_WORKSPACE_PATH: '/data/project',
    OH_ALLOW_CORS_ORIGINS_0: 'https://example.org',
    OH_ALLOW_CORS_ORIGIN_REGEX: 'https://.*[.]example[.]org',
    OH_MAX_CONCURRENT_RUNS: '3',
    LOG_JSON: 'true',
    CONV_METRICS_OPEN: 'true',
  };
  expect(await read(environment)).toMatchObject({
    store: 'fs:/data/conversations',
    settingsFolder: join(homedir(), '.openhands'),
    workspaceFolder: '/data/project',
    corsOrigins: ['https://example.org'],
    corsOriginPattern: 'https://.*[.]example[.]org',
    maxConcurrentRuns: 3,
    logJson: true,
    metricsOpen: true,
  });
});

test('the variables of an OpenHands server that have no effect here refuse no start', async () => {
  const environment = {
    OH_VSCODE_PORT: '8001',
    OH_VSCODE_BASE_PATH: '/vscode',
    OH_BASH_EVENTS_DIR: '/data/bash_events',
    OH_LEASE_TTL_SECONDS: '45',
    OH_INTERNAL_SERVER_URL: 'http://127.0.0.1:8000',
    OH_EXTRA_PYTHON_PATH: '/data/python',
    OH_AGENT_SERVER_VERSION: '1.43.1',
    OH_WEB_URL: 'https://example.org',
    OH_ENABLE_VSCODE: 'false',
    OH_ENABLE_VNC: 'false',
    OH_PRELOAD_TOOLS: 'true',
    CONV_SOMETHING_OF_OTHERS: '1',
  };
  expect(await read(environment)).toEqual(await read({}));
});

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('webhooks are read from JSON, with hosts of private networks', async () => {
  const webhooks = [{ name: 'billing', url: 'https://example.org/hook', secrets: [SECRET], headers: { 'x-a': 'b' } }];
  const environment = { CONV_WEBHOOKS: JSON.stringify(webhooks), CONV_WEBHOOK_HOSTS: 'hooks.internal:8080' };
  expect(await read(environment)).toMatchObject({ webhooks, webhookHosts: ['hooks.internal:8080'] });
});

test("webhooks of OpenHands' server are read from its variables", async () => {
  const environment = {
    OH_WEBHOOKS_0_BASE_URL: 'https://example.org/api',
    OH_WEBHOOKS_0_HEADERS: '{"Authorization":"Bearer x"}',
    OH_WEBHOOKS_0_EVENT_BUFFER_SIZE: '2',
    OH_WEBHOOKS_0_RETRY_DELAY: '1',
    OH_WEBHOOKS_1_BASE_URL: 'https://example.com',
  };
  const first = { url: 'https://example.org/api', headers: { Authorization: 'Bearer x' }, bufferSize: 2 };
  const second = { url: 'https://example.com', bufferSize: 5, backoff: { first: 5000 } };
  const format = { format: 'openhands', flushDelay: 30_000 };
  const { webhooks } = await read(environment);
  expect(webhooks).toMatchObject([
    { ...first, ...format, backoff: { first: 1000 } },
    { ...second, ...format },
  ]);
  expect(webhooks.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^openhands-[\da-f]{12}$/),
    expect.stringMatching(/^openhands-[\da-f]{12}$/),
  ]);
  expect(await read({ OH_WEBHOOKS: '[{"base_url":"https://example.com"}]' })).toMatchObject({ webhooks: [second] });
});

test.each([
  ['CONV_WEBHOOKS', '{}', 'CONV_WEBHOOKS: must be a list of objects with name and url'],
  ['CONV_WEBHOOKS', '[{"name":"x"}]', 'CONV_WEBHOOKS (0.url): '],
  ['CONV_WEBHOOKS', '[{"name":"x","url":"https://example.org","urls":1}]', 'CONV_WEBHOOKS (0): '],
  ['CONV_WEBHOOKS', '["https://example.org/s3cret"]', 'CONV_WEBHOOKS (0): must be an object such as'],
  [
    'OH_WEBHOOKS',
    '[{"base_url":"https://example.org","event_buffer_size":0}]',
    'CONV_WEBHOOKS (0.event_buffer_size): ',
  ],
  ['CONV_WEBHOOK_HOSTS', 'https://example.org', 'CONV_WEBHOOK_HOSTS (0): expected a host such as hooks.internal:8080'],
  ['CONV_WEBHOOK_HOSTS', '10.0.0.7', 'CONV_WEBHOOK_HOSTS: it has no effect alone'],
])('%s=%s is refused by its name, and no value of a webhook is repeated', async (name, value, message) => {
  const error: unknown = await read({ [name]: value }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(message);
  expect(String(error)).not.toMatch(/s3cret/);
});

test('a login is read from JSON, opens a server to other machines, and is refused with a scope that there is not', async () => {
  const oidc = {
    issuer: 'https://login.example',
    audience: 'conv',
    roles: [{ role: 'developers', scopes: ['read'], limits: { own: true }, daily: { runs: 3 } }],
  };
  const environment = { CONV_OIDC: JSON.stringify(oidc), CONV_HOST: '0.0.0.0' };
  expect(await read(environment)).toMatchObject({ oidc, host: '0.0.0.0' });
  const wrong = { ...oidc, roles: [{ scopes: ['write'] }] };
  await expect(read({ CONV_OIDC: JSON.stringify(wrong) })).rejects.toThrow('CONV_OIDC (roles.0.scopes.0): ');
});

test.each([
  ['HTTPS://login.example', 'HTTPS://login.example'],
  ['http://127.0.0.1:8080/realm', 'http://127.0.0.1:8080/realm'],
  ['http://login.example', 'CONV_OIDC (issuer): expected an https URL'],
  ['http://localhost:x@login.example', 'CONV_OIDC (issuer): expected an https URL'],
])('the issuer %s is accepted or refused as by the server: %s', async (issuer, found) => {
  const reading = read({ CONV_OIDC: JSON.stringify({ issuer, audience: 'conv', roles: [{ scopes: ['read'] }] }) });
  const said = await reading.then(({ oidc }) => oidc?.issuer, String);
  expect(said).toContain(found);
});

test('the command line wins over the environment, and that over the file', async () => {
  const config = fileWith('{"port": 1, "host": "file", "idleSeconds": 5, "allowedFolders": ["/usr"]}');
  const environment = { CONV_CONFIG: config, CONV_PORT: '2', CONV_HOST: 'localhost' };
  expect(await read(environment, { port: 3 })).toMatchObject({ port: 3, host: 'localhost', idleSeconds: 5 });
  const allowed = { ...environment, CONV_ALLOWED_FOLDERS: '/tmp:/etc/' };
  expect(await read(allowed)).toMatchObject({ allowedFolders: ['/tmp', '/etc'] });
});

test('an allowed folder can be the home folder, or contain a folder that the server makes', async () => {
  const environment = { OH_WORKSPACE_PATH: join(folder, 'made/project'), CONV_HOST: ' localhost ' };
  const made = join(folder, 'made');
  const allowed = { ...environment, CONV_ALLOWED_FOLDERS_0: made, CONV_ALLOWED_FOLDERS_1: '~' };
  expect(await read(allowed)).toMatchObject({ host: 'localhost', allowedFolders: [made, homedir()] });
});

test.each([
  [{ CONV_PORT: 'many' }, 'CONV_PORT: '],
  [{ OH_MAX_CONCURRENT_RUNS: '0' }, 'OH_MAX_CONCURRENT_RUNS: '],
  [{ OH_ALLOW_CORS_ORIGIN_REGEX: '(' }, 'OH_ALLOW_CORS_ORIGIN_REGEX: expected a regular expression'],
  [{ OH_SESSION_API_KEYS: '["secret-key' }, 'OH_SESSION_API_KEYS: '],
  [{ SESSION_API_KEY: 'secret-key' }, '(0): a key must have at least 16 characters'],
  [{ CONV_APPROVER_KEYS: 'aaaabbbbccccddddeeee' }, 'CONV_APPROVER_KEYS (0): a key must have at least 16 characters'],
  [{ CONV_LOG_LEVEL: 'loud' }, 'CONV_LOG_LEVEL: '],
  [{ CONV_SERVER_URL: '10.0.0.7:8000' }, 'CONV_SERVER_URL: must be a URL'],
  [{ CONV_SERVER_URL: 'http://me:secret-key@10.0.0.7:8000' }, 'CONV_SERVER_URL: must be a URL'],
  [{ CONV_SERVER_URL: 'http://10.0.0.7:8000/?key=secret-key' }, 'CONV_SERVER_URL: must be a URL'],
  [{ CONV_TAKEOVER_SECONDS: '0' }, 'CONV_TAKEOVER_SECONDS: '],
])('%j is refused, with the name of the variable and without its value', async (environment, message) => {
  const error: unknown = await read(environment).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'ConfigurationError' });
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain('secret-key');
});

test('a server that is given its URL is one of many; an option is named as it is written', async () => {
  const environment = {
    CONV_SERVER_URL: 'https://servers.example.org/3',
    CONV_TAKEOVER_SECONDS: '5',
    CONV_SERVER_PEERS: 'https://servers.example.org/*',
    OH_SECRET_KEY: NEW,
    SESSION_API_KEY: OLD,
  };
  expect(await read(environment)).toMatchObject({
    serverUrl: 'https://servers.example.org/3',
    serverPeers: ['https://servers.example.org/*'],
    takeoverSeconds: 5,
  });
  await expect(read({}, { serverUrl: 'nowhere' })).rejects.toThrow('--server-url: must be a URL');
});

test('a file with a setting that does not exist, or that is no object, is refused', async () => {
  await expect(read({}, { config: fileWith('{"sesionKeys": ["k"]}') })).rejects.toThrow('did you mean sessionKeys?');
  await expect(read({}, { config: fileWith('[]') })).rejects.toThrow('expected an object with the options');
  await expect(read({}, { config: fileWith('{') })).rejects.toThrow('server.json is not JSON');
  await expect(read({}, { config: join(folder, 'gone.json') })).rejects.toThrow('gone.json cannot be read');
  await expect(read({}, { config: fileWith('{"port": -1}') })).rejects.toThrow(/^port in .*server[.]json: /);
});

test('a time that no timer can hold is refused', async () => {
  for (const name of ['CONV_SHUTDOWN_SECONDS', 'CONV_IDLE_SECONDS', 'CONV_TAKEOVER_SECONDS'])
    await expect(read({ [name]: '3000000' })).rejects.toThrow(/: expected a number of seconds from [01] to 2000000/);
});

test('digests of a key let a server listen for other machines without knowing the key', async () => {
  const { key, session, workspace } = keyDigests('a key that only its clients know');
  const environment = { CONV_HOST: '0.0.0.0', CONV_SESSION_KEY_DIGESTS_0: `${key}.${session}.${workspace}` };
  expect(await read(environment)).toMatchObject({ sessionKeys: [], sessionKeyDigests: [{ key, session, workspace }] });
});

test('invalid digests are refused by the name of their setting', async () => {
  await expect(read({ CONV_SESSION_KEY_DIGESTS_0: 'a key' })).rejects.toThrow(
    'CONV_SESSION_KEY_DIGESTS (0): must be the digests of a key',
  );
});

test('a variable of any release of OpenHands is taken for no misspelling of another one', () => {
  const page = readFileSync(new URL('../../../docs/openhands.md', import.meta.url), 'utf8');
  const added = [...page.matchAll(/^- `OH_\*`: new (.+?)(?:; .*)?$/gm)].flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? [],
  );
  expect(added.length).toBeGreaterThan(10);
  for (const name of [...added, 'setting_of_tomorrow'])
    expect(() => checkVariables({ [`OH_${name.toUpperCase()}`]: '1' })).not.toThrow();
});
