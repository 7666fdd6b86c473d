import { registryConformance, type RegistryUnderTest } from '@conv/conformance';
import { expect, inject, test } from 'vitest';
import { PostgresRegistry } from '../src/index.ts';
import { administer, freshSchema } from './fresh-schema.ts';

async function make(): Promise<RegistryUnderTest> {
  const schema = freshSchema();
  const registries: PostgresRegistry[] = [];
  const another = (): PostgresRegistry => {
    const registry = new PostgresRegistry({ connectionString: inject('postgresUrl'), schema });
    registries.push(registry);
    return registry;
  };
  return {
    registry: another(),
    again: async () => another(),
    dispose: async () => {
      await Promise.all(registries.map((registry) => registry[Symbol.asyncDispose]()));
      await administer(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    },
  };
}

test('P4: a row that changed at rest hides no other record', async () => {
  const schema = freshSchema();
  await using registry = new PostgresRegistry({ connectionString: inject('postgresUrl'), schema });
  for (const name of ['ann', 'bob']) await registry.put('keys', name, { own_only: 1 }, { expected: null });
  const change = `replace(value, '"own_only":1', '"own_only":0')`;
  await administer(`UPDATE "${schema}".entries SET value = ${change} WHERE name = 'ann'`);
  const { items, damaged } = await registry.list('keys');
  expect(items.map(({ name }) => name)).toEqual(['bob']);
  expect(damaged.map(String)).toEqual([expect.stringContaining('[DAMAGED] keys/ann: the row')]);
  await expect(registry.get('keys', 'ann')).rejects.toThrow('DAMAGED');
});

for (const { name, run } of registryConformance) test(name, () => run({ make }));
