import { expect, test } from 'vitest';

import { folderBytesIn, labelsFor, readLabels } from '../src/container-labels.ts';
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

test('the bytes of a folder are those of its label, and none of a damaged one', () => {
  const made = { port: 1, server: 'conv', folderBytes: 4096 } as const;
  expect(folderBytesIn(labelsFor({ image }, 'stopped', made))).toBe(4096);
  expect([{}, null, undefined].map(folderBytesIn)).toEqual([undefined, undefined, undefined]);
  // with a number that is none, each start was ended at its first look
  for (const bytes of ['', '40x6', '-1', 'NaN', '4.5'])
    expect(folderBytesIn({ 'conv.folder-bytes': bytes })).toBeUndefined();
});
