import { describe, expect, test } from 'vitest';
import { compareVersions, parseReleases } from '../interop/releases.mjs';

describe('releases of OpenHands', () => {
  test('a list of releases names each of them once', () => {
    expect(parseReleases('1.43.1, newest,1.43.1')).toEqual(['1.43.1', 'newest']);
  });

  test.each(['', '1.43', 'latest', '1.43.1,--index-url', '1.58.0.dev1'])('the list %j is refused by name', (list) => {
    expect(() => parseReleases(list)).toThrow(/expected releases of OpenHands .* found "/);
  });

  test('versions are ordered by their numbers, not by their letters', () => {
    const sorted = ['1.58.0', '1.9.3', '1.58.10', '1.58.2'].toSorted(compareVersions);
    expect(sorted).toEqual(['1.9.3', '1.58.0', '1.58.2', '1.58.10']);
  });
});
