import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { routes, type Route } from '@conv/openhands/rest';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher as cipher } from '../support/test-cipher.ts';
import { startServer, type TestServer } from '../support/test-server.ts';

/** Routes that other tests cover: routes of conversations, and routes for absent features. */
const ELSEWHERE: ReadonlySet<string> = new Set(['Conversations', 'Events', 'History', 'Desktop', 'Server', 'Session']);
const NOT_HERE = /^\/(?:api\/(?:vscode|desktop|init|llm\/subscription|mcp|plugins)|app-backends)/;
const all: readonly Route[] = Object.values(routes);
const mine = all.filter(({ tag, path }) => !ELSEWHERE.has(tag) && !NOT_HERE.test(path));

const ODD = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '\0',
  'a\0b',
  '\ud800',
  '💥',
  '../../outside',
  '..',
  '.',
  '-',
  '--help',
  '%2e%2e%2foutside',
  'x'.repeat(3000),
  '/etc/passwd',
  '/proc/none/of/it',
  '/proc/self/root/etc/passwd',
  'HEAD',
  '*'.repeat(50),
];
/** Bodies that are not JSON, or are JSON that is hard to walk. */
const BODIES = [
  '',
  '{',
  'null',
  '"x"',
  '[]',
  '\0',
  '['.repeat(20_000) + ']'.repeat(20_000),
  '{"a":'.repeat(5000) + '1' + '}'.repeat(5000),
  Buffer.from([0xff, 0xfe, 0x7b]),
  '{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}}}',
];

let folder: string;
let lent: string;
let server: TestServer;
let id: string;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-fuzz-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  lent = join(folder, 'lent');
  mkdirSync(join(lent, 'work'), { recursive: true });
  writeFileSync(join(folder, 'outside'), 'nobody sees this');
  symlinkSync(folder, join(lent, 'out'));
  const environment = { PATH: process.env['PATH'] ?? '', HOME: lent, GIT_CONFIG_GLOBAL: '/dev/null' };
  server = await startServer({
    cipher,
    settingsStore: new SettingsStore(join(folder, 'kept'), cipher),
    catalog: { models: {}, skills: async () => ({ skills: [], sources: {} }), hooks: async () => undefined },
    workspaceHost: { environment, workingDirectory: lent, allowedFolders: [lent] },
    workspaceRoots: [lent],
  });
  ({ id } = await server.make({ workspace: { working_dir: join(lent, 'work') } }));
});

function leaves(): fc.Arbitrary<unknown> {
  const paths = [lent, join(lent, 'out/outside'), join(lent, '../outside'), join(lent, 'work'), join(lent, 'new/file')];
  return fc.oneof(
    fc.constantFrom<unknown>(...ODD, ...paths, null, true, false, -1, 0.5, 1e308, [], {}, [null], { a: { b: [] } }),
    fc.string(),
    fc.jsonValue({ maxDepth: 2 }),
  );
}

function membersOf(part: Route['body']): readonly string[] {
  return part && 'shape' in part ? Object.keys(part.shape as object) : [];
}

/** Returns objects with some of these members, and sometimes one more. */
function objects(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const known = Object.fromEntries([...names, 'more'].map((name) => [name, leaves()]));
  return fc.record(known, { requiredKeys: [] });
}

function bodies(route: Route): fc.Arbitrary<string | Buffer | undefined> {
  const fitting = objects(membersOf(route.body)).map((body) => JSON.stringify(body));
  const none = fc.constant(undefined);
  return route.method === 'GET' ? none : fc.oneof({ arbitrary: fitting, weight: 3 }, fc.constantFrom(...BODIES), none);
}

function searches(route: Route): fc.Arbitrary<string> {
  return objects(membersOf(route.query)).map((asked) => {
    const pairs = Object.entries(asked).map(([name, value]): [string, string] => [
      name,
      (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed(),
    ]);
    return new URLSearchParams(pairs).toString();
  });
}

/** A path whose parameters are anything. */
function paths(route: Route): fc.Arbitrary<string> {
  const part = fc.oneof(fc.constantFrom(...ODD), fc.string({ maxLength: 20 }));
  return fc.array(part, { minLength: 3, maxLength: 3 }).map((parts) => {
    let at = 0;
    return route.path
      .replace('{conversation_id}', id)
      .replaceAll(/\{\w+\}/g, () => encodeURIComponent((parts[at++] ?? '').slice(0, 90).toWellFormed()) || 'x');
  });
}

interface Heard {
  readonly status: number;
  readonly text: string;
}

function ask(method: string, path: string, body: string | Buffer | undefined): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const asked = request(server.url + path, { method, headers: length }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

function hasReason(text: string): boolean {
  return Object.hasOwn(JSON.parse(text) as object, 'detail');
}

describe('P13: whatever a client sends', () => {
  test.each(mine.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s refuses it with a reason or does it, and stays where it may be',
    async (_name, route) => {
      await fc.assert(
        fc.asyncProperty(paths(route), searches(route), bodies(route), async (path, search, body) => {
          const { status, text } = await ask(route.method, `${path}?${search}`, body);
          expect([status < 500, status]).toEqual([true, status]);
          expect(text).not.toContain('nobody sees this');
          expect(text).not.toContain('root:x:0');
          expect([status < 400 || hasReason(text), text]).toEqual([true, text]);
        }),
        { numRuns: 40 },
      );
      expect(server.reported).toEqual([]);
      expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('nobody sees this');
      expect(existsSync(join(folder, 'new'))).toBe(false);
      expect((await server.call('GET', `/api/conversations/${id}`)).status).toBe(200);
      expect((await server.call('GET', `/api/conversations/${randomUUID()}`)).status).toBe(404);
    },
  );
});
