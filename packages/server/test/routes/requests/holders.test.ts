import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { Effect } from './effect.ts';
import { HOLDERS } from './holders.ts';
import type { Members } from './request-members.ts';
import { servedMembers } from './served-members.ts';
import { missingTests, ROOT } from './named-tests.ts';

interface Pair {
  readonly holder: string;
  readonly component: string;
  readonly effect: Effect | undefined;
}

/** Each component that several requests hold, with each of its holders. */
function pairsOf({ holders }: Members): readonly Pair[] {
  return [...holders]
    .filter(([, held]) => held.size > 1)
    .flatMap(([component, held]) =>
      [...held].map((holder) => ({
        holder,
        component,
        effect: HOLDERS[holder]?.[component] ?? HOLDERS[holder]?.['*'],
      })),
    );
}

test('each held component acts, is refused, or is known to do nothing by each request that holds it', async () => {
  const pairs = pairsOf(await servedMembers());
  expect(pairs.length).toBeGreaterThan(100);
  expect(pairs.flatMap(({ holder, component, effect }) => (effect ? [] : [`${holder}: ${component}`]))).toEqual([]);
});

test('nothing is said of requests that do not share a component', async () => {
  const pairs = pairsOf(await servedMembers());
  const isHeld = (holder: string, component: string): boolean =>
    pairs.some((pair) => pair.holder === holder && (component === '*' || pair.component === component));
  const stale = Object.entries(HOLDERS).flatMap(([holder, effects]) =>
    Object.keys(effects).flatMap((component) => (isHeld(holder, component) ? [] : [`${holder}: ${component}`])),
  );
  expect(stale).toEqual([]);
});

test('each test that is named for a component is there', () => {
  expect(missingTests(HOLDERS, 15)).toEqual([]);
});

test('each test file of a component mentions the path of the route, and the component or a member', async () => {
  const served = await servedMembers();
  const silent = pairsOf(served).flatMap(({ holder, component, effect }) => {
    if (effect === undefined || effect.kind === 'noOp') return [];
    const text = readFileSync(join(ROOT, effect.file), 'utf8');
    const path = holder.split(' ')[1] ?? '';
    const members = (served.members.get(component) ?? []).filter((member) => !COMMON.has(member));
    const isMentioned =
      effect.kind === 'refused' || members.length === 0 || [component, ...members].some((name) => text.includes(name));
    return pathMentioned(text, path) && isMentioned ? [] : [`${holder}: ${component} in ${effect.file}`];
  });
  expect(silent).toEqual([]);
});

/** Members that tell kinds of objects apart. */
const COMMON: ReadonlySet<string> = new Set(['kind', 'type', 'strategy']);

/** True if a text holds the path, with any text in place of its parameters. */
function pathMentioned(text: string, path: string): boolean {
  const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(parts.join("[^/'`\\s]+")).test(text);
}
