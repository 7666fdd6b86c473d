import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MemoryStore } from '@conv/core/store';
import { openApiDocument } from '@conv/protocol';
import Fastify from 'fastify';
import { expect, test } from 'vitest';

import { Keep } from '../../src/keeping/keep.ts';
import { agentServer } from '../../src/plugin.ts';
import type { Effect } from './effect.ts';
import { EFFECTS } from './effects.ts';
import { requestDocument } from './request-document.ts';
import { requestMembers, type Members } from './request-members.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** The members of every request that a server with all its parts serves, and the routes that it does not serve. */
async function served(): Promise<Members> {
  const app = Fastify();
  const routes = new Set<string>();
  app.addHook('onRoute', ({ config }) => {
    if (config?.route) routes.add(`${config.route.method} ${config.route.path}`);
  });
  const keep = new Keep('/nowhere', undefined);
  const machine = { workingDirectory: '/', environment: {} };
  const parts = { keep, machine, knowledge: { models: {} }, metrics: { text: async () => '', open: true } };
  const agents = { revive: async () => undefined };
  await app.register(agentServer({ store: new MemoryStore(), persistenceDir: '/nowhere', agents, ...parts }));
  await app.ready();
  await app.close();
  return requestMembers(openApiDocument({ title: 'all', version: '0' }), routes);
}

/** Members that tell kinds of objects apart: tests write the kind and not the member. */
const COMMON: ReadonlySet<string> = new Set(['kind', 'type', 'strategy']);

function effectOf(owner: string, member: string): Effect | undefined {
  return EFFECTS[owner]?.[member] ?? EFFECTS[owner]?.['*'];
}

test('each member of each request acts, is refused by name, or is known to do nothing', async () => {
  const { members } = await served();
  const unknown = [...members].flatMap(([owner, names]) =>
    names.filter((name) => !effectOf(owner, name)).map((name) => `${owner}.${name}`),
  );
  expect([...members.values()].flat().length).toBeGreaterThan(300);
  expect(unknown).toEqual([]);
});

test('nothing is said of members that no request has', async () => {
  const { members } = await served();
  const stale = Object.entries(EFFECTS).flatMap(([owner, effects]) =>
    Object.keys(effects)
      .filter((name) => name !== '*' && members.get(owner)?.includes(name) !== true)
      .map((name) => `${owner}.${name}`),
  );
  expect(stale).toEqual([]);
  expect(Object.keys(EFFECTS).filter((owner) => !members.has(owner))).toEqual([]);
});

test('each test that is named for a member is there', () => {
  const shown = Object.values(EFFECTS).flatMap((effects) =>
    Object.values(effects).filter((effect) => effect.kind !== 'noOp'),
  );
  const named = new Set(shown.map(({ file, test: title }) => `${file}\n${title}`));
  const missing = [...named].filter((name) => {
    const [file = '', title = ''] = name.split('\n');
    const path = join(ROOT, file);
    return title === '' || !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`);
  });
  expect(named.size).toBeGreaterThan(60);
  expect(missing).toEqual([]);
});

test('the file of each test that is named for a member mentions it', async () => {
  const { members } = await served();
  const silent = [...members].flatMap(([owner, names]) =>
    names.flatMap((name) => {
      const effect = effectOf(owner, name);
      if (effect?.kind !== 'acts' || COMMON.has(name)) return [];
      const text = readFileSync(join(ROOT, effect.file), 'utf8');
      const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      return text.includes(name) || text.includes(camel) ? [] : [`${owner}.${name} in ${effect.file}`];
    }),
  );
  expect(silent).toEqual([]);
});

test('the document about requests says what this says', async () => {
  const { members, notServed } = await served();
  await expect(requestDocument(members, notServed, effectOf)).toMatchFileSnapshot(
    join(ROOT, 'docs/openhands-requests.md'),
  );
});
