import { expect, test } from 'vitest';

import { driver } from '../src/driver.ts';
import { StoreAddressError } from '../src/index.ts';

/** The error of Node for a package that is not there. */
function missing(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from /a.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
}

test('a driver that is not installed is named with the command that installs it', async () => {
  const loading = driver('postgres', '@conv/persist-postgres', () => Promise.reject(missing('@conv/persist-postgres')));
  await expect(loading).rejects.toThrow(StoreAddressError);
  await expect(loading).rejects.toThrow('install them with: npm i @conv/persist-postgres');
});

test.each([
  ['a package that the driver itself lacks', missing('pg')],
  ['another error', new Error('broken')],
])('%s is passed on as it is', async (_, error) => {
  await expect(driver('postgres', '@conv/persist-postgres', () => Promise.reject(error))).rejects.toBe(error);
});
