import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { readConfiguration, type Sources } from '../src/configuration/read-configuration.ts';
import { newFolder } from './new-folder.ts';
import { launch } from './server-process.ts';

const cwd = newFolder();
const taken = createServer();

function at(name: string): string {
  return join(cwd, name);
}

beforeAll(async () => {
  writeFileSync(join(cwd, 'FILE'), 'text');
  mkdirSync(join(cwd, 'FOLDER'));
  writeFileSync(join(cwd, 'empty'), '');
  writeFileSync(join(cwd, 'short'), 'a-key\n');
  writeFileSync(join(cwd, 'broken.json'), '{ "port"');
  writeFileSync(join(cwd, 'misspelt.json'), '{ "sesionKeys": ["a"] }');
  writeFileSync(join(cwd, 'list.json'), '[]');
  writeFileSync(join(cwd, 'odd.json'), '{ "port": true, "shutdownSeconds": "" }');
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
});

afterAll(() => taken.close());

/** Wrong settings, and their message. */
type Wrong = readonly [options: Sources['options'], environment: Readonly<Record<string, string>>, says: string];

const settings: readonly Wrong[] = [
  [{ port: '70000' }, {}, '--port: expected a port from 0 to 65535, found "70000"'],
  [{ config: at('missing.json') }, {}, '/missing.json cannot be read (ENOENT); --config and CONV_CONFIG take the path'],
  [{ config: at('FOLDER') }, {}, '/FOLDER cannot be read (EISDIR)'],
  [{ config: at('broken.json') }, {}, '/broken.json is not JSON: '],
  [
    {},
    { CONV_CONFIG: at('misspelt.json') },
    '/misspelt.json: there is no option "sesionKeys"; did you mean sessionKeys?',
  ],
  [{ config: at('list.json') }, {}, '/list.json: expected an object with the options host, port'],
  [{ store: 'mongo:x' }, {}, '--store: unknown kind of store mongo: expected one of fs:DIR'],
  [{ store: `sqlite:${at('FOLDER')}` }, {}, '/FOLDER: expected a file with conversations, found a folder'],
  [{ store: `fs:${at('FILE')}/below` }, {}, 'expected a folder with conversations, found a file in its path'],
  [{}, { CONV_STORE: `fs:${at('FILE')}` }, 'CONV_STORE: '],
  [
    {},
    { OH_CONVERSATIONS_PATH: at('FILE'), CONV_STORE: 'sqlite:x' },
    'OH_CONVERSATIONS_PATH: expected a folder, found a file',
  ],
  [{}, { OH_PERSISTENCE_DIR: at('FILE') }, 'OH_PERSISTENCE_DIR: expected a folder, found a file at '],
  [
    {},
    { OH_STATIC_FILES_PATH: at('nowhere') },
    'OH_STATIC_FILES_PATH: expected a folder of files to serve, found nothing',
  ],
  [
    {},
    { OH_WORKSPACE_PATH: '/proc/x' },
    'OH_WORKSPACE_PATH: expected a folder, found a place of the kernel at /proc/x',
  ],
  [
    {},
    { OH_PERSISTENCE_DIR: '/sys/x' },
    'OH_PERSISTENCE_DIR: expected a folder, found a place of the kernel at /sys/x',
  ],
  [{ store: 'sqlite:/proc/x.db' }, {}, '/proc/x.db: expected a file with conversations, found a place of the kernel'],
  [{}, { CONV_ALLOWED_FOLDERS: 'nope' }, 'CONV_ALLOWED_FOLDERS (0): expected absolute paths of folders such as /srv/'],
  [{}, { CONV_ALLOWED_FOLDERS: at('nowhere') }, 'CONV_ALLOWED_FOLDERS: expected a folder, found nothing at '],
  [{}, { CONV_ALLOWED_FOLDERS: `/tmp:${at('FILE')}` }, 'CONV_ALLOWED_FOLDERS: expected a folder, found a file at '],
  [{}, { CONV_ALLOWED_FOLDERS: '/tmp,/var' }, 'CONV_ALLOWED_FOLDERS: expected a folder, found nothing at /tmp,/var'],
  [{}, { CONV_ALLOWED_FOLDERS: ':' }, 'CONV_ALLOWED_FOLDERS: expected at least one folder, found []'],
  [{}, { CONV_ALLOWED_FOLDERS_0: '../x' }, 'CONV_ALLOWED_FOLDERS (0): expected absolute paths of folders'],
  [
    {},
    { CONV_HOST: 'http://127.0.0.1' },
    'CONV_HOST: expected a host name or an address such as 127.0.0.1, found "http',
  ],
  [{ config: at('odd.json') }, {}, '/odd.json: expected a port from 0 to 65535, found true'],
  [{ config: at('odd.json') }, {}, '/odd.json: expected a number of seconds from 0 to 2000000, found ""'],
  [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL such as http://127'],
  [{}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://x' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: expected a URL such as'],
  [{}, { CONV_APPROVER_KEYS_FLE: 'x' }, 'no option "CONV_APPROVER_KEYS_FLE"; did you mean CONV_APPROVER_KEYS_FILE?'],
  [{}, { OH_SECRETKEY: 'x' }, 'no option "OH_SECRETKEY"; did you mean OH_SECRET_KEY?'],
  [{}, { OH_SECRET_KEY_0: 'x' }, 'no option "OH_SECRET_KEY_0"; did you mean OH_SECRET_KEY?'],
  [{}, { OH_SESSION_KEYS_0: 'x' }, 'no option "OH_SESSION_KEYS_0"; did you mean OH_SESSION_API_KEYS?'],
  [{}, { OH_SESSION_API_KEYS_X: 'x' }, 'did you mean OH_SESSION_API_KEYS?'],
  [
    {},
    { OH_SESSION_API_KEYS_FILES: 'x' },
    'no option "OH_SESSION_API_KEYS_FILES"; did you mean OH_SESSION_API_KEYS_FILE?',
  ],
  [{}, { OH_CONVERSATION_PATH: 'x' }, 'did you mean OH_CONVERSATIONS_PATH?'],
  [{}, { CONV_SECRET_KEY: 'x' }, 'did you mean OH_SECRET_KEY?'],
  [
    {},
    { OH_SESSION_API_KEY: 'x' },
    'OH_SESSION_API_KEY is the key of clients; for a key of this server set OH_SESSION_API_KEYS_0',
  ],
  [
    {},
    { OH_ALLOW_CORS_ORIGINS: 'example.com' },
    'OH_ALLOW_CORS_ORIGINS (0): expected * or an origin such as https://example.com:8443, found ["example.com"]',
  ],
  [{}, { OH_ALLOW_CORS_ORIGINS: 'https://example.com/' }, 'an origin such as https://example.com:8443'],
  [{}, { LOG_JSON: 'perhaps' }, 'LOG_JSON: expected true or false, found "perhaps"'],
  [{}, { CONV_LOG_LEVEL: 'loud' }, 'expected one of fatal, error, warn, info, debug, trace, silent, found "loud"'],
  [{}, { OH_MAX_CONCURRENT_RUNS: 'many' }, 'OH_MAX_CONCURRENT_RUNS: expected a whole number from 1, found "many"'],
  [
    {},
    { CONV_SHUTDOWN_SECONDS: 'soon' },
    'CONV_SHUTDOWN_SECONDS: expected a number of seconds from 0 to 2000000, found "soon"',
  ],
  [{ sessionKeysFile: at('missing') }, {}, '/missing cannot be read (ENOENT); name a file that this user may read'],
  [{ sessionKeysFile: at('empty') }, {}, '/empty, found an empty file; write one in each line'],
  [
    { host: '0.0.0.0' },
    {},
    '--host: other machines can reach 0.0.0.0, but no key is set. Set OH_SESSION_API_KEYS_FILE',
  ],
];

test.each(settings)('P13: the setting %j or %j is refused: %s', async (options, environment, says) => {
  const reading = readConfiguration({ options, environment });
  await expect(reading).rejects.toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining(says) });
});

/** Arguments and environment of the program, and its output before it ends. */
type Mistake = readonly [args: readonly string[], env: Readonly<Record<string, string>>, says: string];

const A_KEY = { OH_SESSION_API_KEYS_0: 'a-key-of-a-server-0123456789' };

const starts: readonly Mistake[] = [
  [['--prot', '80'], {}, "unknown option '--prot'\n(Did you mean --port?)"],
  [['serve'], {}, 'too many arguments'],
  [['tokn'], {}, 'too many arguments. Expected 0 arguments but got 1: tokn'],
  [['--port', 'eighty'], {}, '--port: expected a port from 0 to 65535, found "eighty"'],
  [['--store', 'fs:FILE'], {}, '/FILE: expected a folder with conversations, found a file; give another address'],
  [[], { CONV_ALLOWED_FOLDERS: 'nope' }, 'CONV_ALLOWED_FOLDERS (0): expected absolute paths of folders such as /srv/'],
  [
    ['--session-keys-file', 'short'],
    {},
    'sessionKeysFile: key 1 in short: a key must have at least 16 characters, 8 of them different; `openssl',
  ],
  [
    ['--host', '203.0.113.7'],
    A_KEY,
    'this machine has no such address; set --host or CONV_HOST to an address of this machine',
  ],
];

test.each(starts)('P13: the server with %j and %j says what is wrong and what to write', async (args, env, says) => {
  const { stderr, exitCode } = await launch({ cwd, args, env });
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/\n\s+at |TypeError|is not a function/);
  expect(exitCode).toBe(args.includes('203.0.113.7') ? 1 : 2);
});

test('P13: a port that another program has is named, and how to choose another one', async () => {
  const { port } = taken.address() as AddressInfo;
  const { stderr, exitCode } = await launch({ cwd, args: ['--port', `${port}`] });
  expect(stderr).toContain(`port ${port} of 127.0.0.1: another program listens there; choose another port with --port`);
  expect(exitCode).toBe(1);
});
