import { expect, test } from 'vitest';

import { labelsFor, readLabels } from '../src/container-labels.ts';
import type { ContainerLimits } from '../src/index.ts';

const image = 'localhost/image';

function labelsOf(limits?: ContainerLimits): ReturnType<typeof labelsFor> {
  return labelsFor({ image, ...(limits && { limits }) }, 'stopped', { port: 1, server: 'conv' });
}

test.each([
  [undefined, { disk: 2 ** 30 }],
  [{ disk: 2 ** 30 }, { disk: 2 ** 31 }],
  [{ disk: 2 ** 30 }, {}],
  [{ memory: 2 ** 30 }, { memory: 2 ** 30, disk: 2 ** 30 }],
] as const)('a container that was made with the limits %j is found with %j', (made, limits) => {
  expect(readLabels('c', labelsOf(made), { image, limits })).toMatchObject({ port: 1 });
});

test('a limit of a disk in the labels of an earlier version is not compared', () => {
  const labels = { ...labelsOf(), 'conv.options': JSON.stringify({ image, limits: { memory: 1, disk: 5 } }) };
  expect(readLabels('c', labels, { image, limits: { memory: 1 } })).toMatchObject({ port: 1 });
});

test('other limits are compared, unless none are given', () => {
  const labels = labelsOf({ memory: 2 ** 30, disk: 2 ** 30 });
  expect(() => readLabels('c', labels, { image, limits: { memory: 2 ** 29 } })).toThrow(
    /^\[INVALID_INPUT\] ContainerWorkspace: limits: expected the value with which the container c was made/,
  );
  expect(() => readLabels('c', labels, { image: 'localhost/other' })).toThrow('ContainerWorkspace: image');
  expect(readLabels('c', labels, {})).toMatchObject({ port: 1, server: 'conv' });
});
