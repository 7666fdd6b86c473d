import { createSecretVault } from '@conv/secrets';
import { expect, test } from 'vitest';

import { describeError, messageOf } from '../src/error-description.ts';
import { LivingVaults } from '../src/living-vaults.ts';

test('P9: the log of an error has its causes, and no value of any conversation in any common form', () => {
  const vaults = new LivingVaults();
  const make = vaults.remembering(createSecretVault);
  const values = ['first-value-0123456789', 'second-value-"9876543210'];
  const living = values.map((value, index) => {
    const vault = make({});
    vault.update({ [`NAME_${index}`]: value });
    return vault;
  });
  const cause = new TypeError(`refused ${Buffer.from(values[0] as string).toString('base64')}`);
  const error = new Error(`cannot send ${JSON.stringify(values[1])}`, { cause });
  const described = JSON.stringify(
    describeError(Object.assign(error, { code: 'E_SENT', headers: values }), vaults.mask),
  );
  expect(described).toContain('caused by: TypeError: refused <secret-hidden>');
  expect(described).toContain('"code":"E_SENT"');
  expect(described).toContain('error-description.test.ts');
  for (const value of values) expect(described).not.toContain(value.slice(0, 12));
  expect(described).not.toContain(Buffer.from(values[0] as string).toString('base64'));
  expect(living).toHaveLength(2);
});

test('a text that a masker cannot mask is hidden as a whole', () => {
  const vaults = new LivingVaults();
  const broken = vaults.remembering((options) => {
    const vault = createSecretVault(options);
    const mask = (): never => {
      throw new Error('broken');
    };
    return Object.defineProperty(vault, 'masker', { value: { version: 1, mask, stream: mask } });
  })({});
  expect(describeError(new Error('text'), vaults.mask).message).toBe('<secret-hidden>');
  expect(broken.secrets).toEqual([]);
});

test('an error that causes itself is described once, and in one line for people', () => {
  expect(messageOf(new Error('one\n  two'))).toBe('one two');
  const loop = new Error('loop');
  loop.cause = loop;
  expect(describeError(loop, (text) => text).stack?.split('caused by: ')).toHaveLength(8);
});
