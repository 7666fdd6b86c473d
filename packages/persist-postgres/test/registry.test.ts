import { registryConformance, type RegistryUnderTest } from '@conv/conformance';
import { inject, test } from 'vitest';
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

for (const { name, run } of registryConformance) test(name, () => run({ make }));
