import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registryConformance, type RegistryUnderTest } from '@conv/conformance';
import { SimulatedDisk } from '@conv/testing-disk';
import { ManualPlatform } from '@conv/testing-harness';
import { describe, test } from 'vitest';
import { FsRegistry } from '../../src/index.ts';

async function inFiles(): Promise<RegistryUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-registry-'));
  const directory = join(folder, 'deep', 'registry');
  return {
    registry: new FsRegistry({ directory }),
    again: async () => new FsRegistry({ directory }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

async function onSimulatedDisk(): Promise<RegistryUnderTest> {
  // the times of its files are numbers of operations
  const disk = new SimulatedDisk({ platform: new ManualPlatform() });
  return {
    registry: new FsRegistry({ directory: '/registry', disk }),
    again: async () => new FsRegistry({ directory: '/registry', disk }),
    dispose: async () => {},
  };
}

describe.each([
  ['files', inFiles],
  ['the simulated disk', onSimulatedDisk],
])('on %s', (_, make) => {
  for (const { name, run } of registryConformance) test(name, () => run({ make }));
});
