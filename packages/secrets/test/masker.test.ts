import { SECRET_MASK } from '@conv/core';
import { expect, test } from 'vitest';
import { createMasker } from '../src/index.ts';
import { ValueMasker } from '../src/masking/masker.ts';
import { MaskingStream } from '../src/masking/masking-stream.ts';
import { PatternLayers } from '../src/masking/pattern-layers.ts';
import { PatternSet } from '../src/masking/pattern-set.ts';

const VALUE = 'tok_8fJ2kQ91xZ';
const MASK = SECRET_MASK;

test('P9: the longer of two values with one beginning is masked whole, in any order of registration', () => {
  for (const values of [
    ['abcdefgh', 'abcdefghSECRETREST'],
    ['abcdefghSECRETREST', 'abcdefgh'],
  ]) {
    const masker = createMasker(values);
    expect(masker.mask('[abcdefghSECRETREST] [abcdefgh]')).toBe(`[${MASK}] [${MASK}]`);
    expect(masker.mask('[abcdefghSECRETREST')).toBe(`[${MASK}`);
  }
});

test('P9: values that overlap are masked together, so that neither shows its rest', () => {
  const masker = createMasker(['abcdefgh12345678', '12345678zyxwvuts']);
  expect(masker.mask('-abcdefgh12345678zyxwvuts-')).toBe(`-${MASK}-`);
  expect(masker.mask('-abcdefgh1234567812345678zyxwvuts-')).toBe(`-${MASK}${MASK}-`);
});

test('P9: a value is found inside of a longer value that begins and does not continue', () => {
  const masker = createMasker(['a long value with a middle and an end', 'value with']);
  expect(masker.mask('a long value without')).toBe(`a long ${MASK}out`);
});

test('P9: a value is found across the pieces of a text', () => {
  const masker = createMasker([VALUE]);
  const stream = masker.stream();
  expect(stream.write('token: tok_8f')).toBe('token: ');
  expect(stream.write('J2kQ')).toBe('');
  expect(stream.write('91xZ, ')).toBe(`${MASK}, `);
  expect(stream.write('to be')).toBe('to be');
  expect(stream.end()).toBe('');
});

test('P9: a value that the end of a text cuts off is masked as far as it is there', () => {
  const masker = createMasker([VALUE]);
  expect(masker.mask('token: tok_8fJ2')).toBe(`token: ${MASK}`);
  expect(masker.mask('token: tok_8fJ')).toBe('token: tok_8fJ');
  const stream = masker.stream();
  expect(stream.write('token: tok_8fJ2')).toBe('token: ');
  expect(stream.end()).toBe(MASK);
});

test.each(['…', ' …', '...', ' [… 12 characters are left out …] ', '\n(…)'])(
  'P9: a value that was cut before %j is masked as far as it is there, wherever that is',
  (cut) => {
    const masker = createMasker([VALUE]);
    for (const length of [8, 10, VALUE.length - 1]) {
      const text = `a ${VALUE.slice(0, length)}${cut}and more`;
      expect(masker.mask(text)).toBe(`a ${MASK}${cut}and more`);
      expect(masker.mask(masker.mask(text))).toBe(masker.mask(text));
    }
    const stream = masker.stream();
    expect(stream.write(`a ${VALUE.slice(0, 9)}`) + stream.write('… b') + stream.end()).toBe(`a ${MASK}… b`);
    expect(masker.mask(`a tok_8fJ${cut}`)).toBe(`a tok_8fJ${cut}`);
  },
);

test('P9: a value that holds the mark of a cut is masked whole', () => {
  for (const value of ['before-mark…behind-it', 'before-mark...behind-it'])
    expect(createMasker([value]).mask(`[${value}]`)).toBe(`[${MASK}]`);
});

test('P9: a value of one character, or of seven, destroys no text', () => {
  const masker = createMasker(['e', 'seven77', '  seven77  ', 's\ne\nv\ne\nn\n7\n7', '']);
  expect(masker.version).toBe(0);
  expect(masker.mask('seven77 eels')).toBe('seven77 eels');
});

test('the mask is not a value itself, nor is a text that contains it', () => {
  const masker = createMasker(['secret-hidden', MASK, `before ${MASK} after`]);
  expect(masker.version).toBe(0);
  expect(masker.mask('a secret-hidden thing')).toBe('a secret-hidden thing');
});

test('P9: a value that begins as a mask ends is masked beside a mask too', () => {
  const masker = createMasker(['hidden>correct horse', 'correct horse<secret']);
  expect(masker.mask(`${MASK}correct horse`)).toBe(`${MASK}${MASK}`);
  expect(masker.mask(`correct horse${MASK}`)).toBe(`${MASK}${MASK}`);
});

test('P9: a mask that comes in pieces is a border too', () => {
  const stream = createMasker(['hidden>correct horse']).stream();
  const pieces = ['<secret-', 'hid', 'den>correct', ' horse'].map((piece) => stream.write(piece));
  expect(pieces.join('') + stream.end()).toBe(`${MASK}${MASK}`);
});

test('P9: a value is found however its text is wrapped', () => {
  const masker = createMasker(['correct horse battery staple']);
  expect(masker.mask('> correct horse batt\r\nery staple <')).toBe(`> ${MASK} <`);
  expect(masker.mask('\ncorrect horse battery staple\n')).toBe(`\n${MASK}\n`);
});

test('P9: a value is masked with and without the white space around it', () => {
  const masker = createMasker(['  a padded value \n']);
  expect(masker.mask('[a padded value]')).toBe(`[${MASK}]`);
  expect(masker.mask('[  a padded value ]')).toBe(`[${MASK}]`);
});

test('P9: each line of a key file is masked, even when lines are numbered', () => {
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    'MIIEvQIBADANBgkq',
    'hkiG9w0BAQEFAASC',
    'short',
    '-----END PRIVATE KEY-----',
    '',
  ];
  for (const stored of [key.join('\n'), key.join('\r\n'), key.join('\\n')]) {
    const masker = createMasker([stored]);
    expect(masker.mask(`cat: ${key.join('\n')}done`)).toMatch(/^cat: <secret-hidden>\n?done$/);
    expect(masker.mask(`cat: ${key.join('\r\n')}done`)).toMatch(/^cat: <secret-hidden>(\r\n)?done$/);
    expect(masker.mask('2\tMIIEvQIBADANBgkq\n3\thkiG9w0BAQEFAASC\n')).toBe(`2\t${MASK}\n3\t${MASK}\n`);
    expect(masker.mask('a file with -----BEGIN PRIVATE KEY----- in it')).toContain('-----BEGIN PRIVATE KEY-----');
  }
});

test('P9: the long texts in a value that is JSON are values too', () => {
  const account = {
    type: 'account',
    private_key: 'line one of the key\nline two of the key\n',
    ids: ['0123456789abcdefghij'],
  };
  const masker = createMasker([JSON.stringify(account)]);
  expect(masker.mask('key: line one of the key\nline two of the key\n.')).toBe(`key: ${MASK}\n.`);
  expect(masker.mask('line two of the key, 0123456789abcdefghij, account')).toBe(`${MASK}, ${MASK}, account`);
});

test('P9: the long settings in a file are values too, and names without a value are none', () => {
  const masker = createMasker([
    'clusters:\n- name: one-and-two\n  token: "0123456789abcdefghij"\nexport KEY=klmnopqrstuvwxyz0123\n',
  ]);
  expect(masker.mask('0123456789abcdefghij; klmnopqrstuvwxyz0123')).toBe(`${MASK}; ${MASK}`);
  expect(masker.mask('3  token: "0123456789abcdefghij"')).toBe(`3  ${MASK}`);
  expect(masker.mask('the clusters: one')).toBe('the clusters: one');
});

test('P9: the password in a URL is a value too, as it is written and as it is meant', () => {
  const masker = createMasker(['postgres://admin:p%40ssword-1@db.example:5432/app']);
  expect(masker.mask('p%40ssword-1, p@ssword-1')).toBe(`${MASK}, ${MASK}`);
  expect(masker.mask('postgres://admin:other@db.example:5432/app')).toBe('postgres://admin:other@db.example:5432/app');
});

test("a text ending in a URL's scheme, a setting's name or a key's first line has not been cut off", () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----';
  const masker = createMasker(['postgresql+ssl://admin:password-1@host', 'DATABASE_KEY=0123456789\nOTHER=1', key]);
  for (const text of [
    'we use postgres',
    'postgresql+ssl://',
    'set DATABASE_KEY=',
    'it has -----BEGIN PRIVATE KEY-----\n',
  ]) {
    expect(masker.mask(text)).toBe(text);
    const stream = masker.stream();
    expect(
      text
        .split('')
        .map((unit) => stream.write(unit))
        .join('') + stream.end(),
    ).toBe(text);
  }
  expect(masker.mask('at postgresql+ssl://a')).toBe(`at ${MASK}`);
  expect(masker.mask('set DATABASE_KEY=0')).toBe(`set ${MASK}`);
  expect(masker.mask('-----BEGIN PRIVATE KEY-----\nM')).toBe(MASK);
});

test("P9: a value cut off after another's opening is masked, whether they became known together or not", () => {
  const values = ['K1_NAMES=a value\nmore of it', '1_NAMES=another'];
  const together = createMasker(values);
  const oneByOne = new ValueMasker();
  for (const value of values) {
    oneByOne.add(value);
    expect(oneByOne.mask('K1_NAMES= ')).toBe('K1_NAMES= ');
  }
  for (const masker of [together, oneByOne]) {
    expect(masker.mask('K1_NAMES=')).toBe(`K${MASK}`);
    expect(masker.mask('K1_NAMES=a')).toBe(MASK);
  }
});

test('JSON that is nested deeper than the stack is a value like any other', () => {
  const masker = createMasker([`${'['.repeat(20_000)}"a text of twenty or more"${']'.repeat(20_000)}`]);
  expect(masker.mask('"a text of twenty or more"')).toBe(`"${MASK}"`);
});

test('P9: a text that cannot be masked is not shown', () => {
  const masker = createMasker([VALUE]);
  const unreadable = {
    length: 100,
    toString: () => {
      throw new Error(VALUE);
    },
  } as unknown as string;
  expect(masker.mask(unreadable)).toBe(MASK);
  const stream = masker.stream();
  expect(stream.write('before tok_')).toBe('before ');
  expect(stream.write(unreadable)).toBe(MASK);
  expect(stream.write(`after ${VALUE}`)).toBe('');
  expect(stream.end()).toBe('');
});

test('P9: a text is not shown when no automaton can be made', () => {
  const stream = new MaskingStream(() => {
    throw new RangeError('no memory');
  });
  expect(stream.write('text')).toBe(MASK);
  expect(stream.end()).toBe('');
});

test('P9: a value that becomes known during a text is masked in the held part and in later text', () => {
  const masker = new ValueMasker();
  masker.add('aaaaaaaaaaaaB');
  const stream = masker.stream();
  expect(stream.write('x aaaaaa')).toBe('x ');
  masker.add('aaaa late value');
  expect(stream.write('aa late value y')).toBe(`aaaa${MASK} y`);
  expect(stream.end()).toBe('');
});

test('P9: masked text stays masked when another value becomes known', () => {
  const masker = new ValueMasker();
  masker.add('abcdefghab');
  masker.add('abcdefghab12345678ab');
  const stream = masker.stream();
  expect(stream.write('-abcdefghab')).toBe(`-${MASK}`);
  masker.add('another value');
  expect(stream.write('12345678ab-another value-')).toBe(`-${MASK}-`);
});

test('P9: the version grows with every value and with nothing else', () => {
  const masker = new ValueMasker();
  expect(masker.version).toBe(0);
  expect(masker.add(VALUE)).toBe(true);
  expect(masker.add(VALUE)).toBe(true);
  expect(masker.add('short')).toBe(false);
  expect(masker.version).toBe(1);
  masker.mask(VALUE);
  expect(masker.version).toBe(1);
});

test('a text without values is handed back as it is, at once', () => {
  const stream = createMasker([]).stream();
  expect(stream.write('<secret-')).toBe('<secret-');
  expect(stream.end()).toBe('');
  const masker = createMasker([VALUE]);
  const text = 'nothing to see\r\n\n here\n';
  expect(masker.mask(text)).toBe(text);
});

test('writing to a text that has ended is refused', () => {
  const stream = createMasker([VALUE]).stream();
  stream.end();
  expect(() => stream.write('more')).toThrow(TypeError);
  expect(stream.end()).toBe('');
});

test('an automaton of no patterns finds nothing', () => {
  const automaton = new PatternLayers().with(new PatternSet());
  const stream = new MaskingStream(() => automaton);
  expect(stream.write('any text whatever') + stream.end()).toBe('any text whatever');
});
