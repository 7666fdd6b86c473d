import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { keyDigests } from '@conv/server/access';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { checkVariables } from '../src/configuration/environment.ts';
import { read } from './read-settings.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conv-configuration-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(content: string): string {
  const file = join(folder, 'server.json');
  writeFileSync(file, content);
  return file;
}

test('the server listens on this machine alone by default, and keeps conversations in a folder', async () => {
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
    deferredInit: false,
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
    publicUrl: undefined,
    mcpHosts: [],
    webhookHosts: [],
    protocols: ['openai', 'ai-ui', 'ag-ui', 'a2a', 'mcp'],
    titles: 'model',
    agentName: undefined,
    agentDescription: undefined,
    userFolder: homedir(),
    pluginHosts: [],
    marketplace: 'https://github.com/OpenHands/extensions',
    marketplaceRef: undefined,
    takeoverSeconds: 15,
    maxConcurrentRuns: 10,
    reservedCost: 0.05,
    oidc: undefined,
    approvalSeconds: undefined,
    bashEventSeconds: undefined,
    idleSeconds: 1200,
    abandonedSeconds: undefined,
    shutdownSeconds: 20,
    logLevel: 'info',
    logJson: false,
    metricsOpen: false,
    staticFolder: undefined,
    studioFolder: undefined,
    ownFiles: [],
    complete: undefined,
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
  const added = [...page.matchAll(/^- `OH_\*`: new ((?:`\w+`(?:, )?)+)/gm)].flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? [],
  );
  expect(added.length).toBeGreaterThan(10);
  for (const name of [...added, 'setting_of_tomorrow'])
    expect(() => checkVariables({ [`OH_${name.toUpperCase()}`]: '1' })).not.toThrow();
});

test('protocols are a list of names, in their own order, or none', async () => {
  expect((await read({ CONV_PROTOCOLS: '["mcp","openai"]' })).protocols).toEqual(['openai', 'mcp']);
  expect((await read({ CONV_PROTOCOLS: 'none' })).protocols).toEqual([]);
  await expect(read({ CONV_PROTOCOLS: 'grpc' })).rejects.toThrow(
    'CONV_PROTOCOLS (0): expected one of openai, ai-ui, ag-ui, a2a, mcp, none, found',
  );
});
