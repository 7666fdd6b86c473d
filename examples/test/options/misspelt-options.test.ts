import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { otherTypes, places } from './option-places.ts';

const root = join(import.meta.dirname, '../../..');

/** The message with which a place refuses options; `undefined` when it takes them. */
async function refusal(call: () => unknown): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A name with two of its neighbours swapped, or a letter left out where they are all the same. */
function misspell(name: string): string {
  const at = Array.from(name).findIndex((letter, index) => index > 0 && letter !== name[index - 1]);
  if (at < 1) return name.slice(1);
  return `${name.slice(0, at - 1)}${name[at]}${name[at - 1]}${name.slice(at + 1)}`;
}

test.for(places)(
  'P13: $name refuses each of its options when it is misspelt, and says which is meant',
  async (place) => {
    const list = await refusal(() => place.call({ zzzzzzzzzz: 1 }));
    expect(list).toMatch(/there is no option "zzzzzzzzzz"; the options are /);
    expect(list).toContain(`${place.name}: `);
    const names = (list as string).split('the options are ')[1]?.split(', ') ?? [];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const message = await refusal(() => place.call({ [misspell(name)]: undefined }));
      expect(message).toContain(`there is no option ${JSON.stringify(misspell(name))}; did you mean ${name}?`);
    }
  },
);

test.for(places.filter(({ name }) => !/^(?:list|upload|download|git|serverInfo|.*: )/.test(name)))(
  'P13: $name says that it expects an object when it is given something else',
  async (place) => {
    if (['createConversationFactory', 'agentServer', 'new S3Store', 'Conversation'].includes(place.name)) return;
    for (const wrong of ['x', 5, null, ['x']])
      expect(await refusal(() => place.call(wrong as unknown as object))).toContain(
        `${place.name}: expected an object`,
      );
  },
);

test('every type of options that a package exports is taken by a place here or is named with a reason', () => {
  const entries = globSync('{packages,apps}/*/src/{index.ts,*/index.ts}', { cwd: root }).filter(
    (file) => !file.includes('conformance'),
  );
  const names = entries.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:type )?([A-Z]\w*Options)\b/g)].map(
      ([, name]) => name as string,
    ),
  );
  expect(names.length).toBeGreaterThan(30);
  const known = new Set([...places.flatMap(({ types }) => types), ...Object.keys(otherTypes)]);
  expect([...new Set(names)].filter((name) => !known.has(name))).toEqual([]);
});
