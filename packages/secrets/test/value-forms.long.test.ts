import { spawnSync } from 'node:child_process';
import { inspect } from 'node:util';
import { SECRET_MASK } from '@conv/core';
import { isCi } from '@conv/testing-harness';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMasker } from '../src/index.ts';

const VALUE = `P@ss "w/örd"\\ it's <1+1> & $HOME~,#`;
const MASK = SECRET_MASK;

const json = (value: string): string => JSON.stringify(value).slice(1, -1);
const bytes = (value: string): Buffer => Buffer.from(value);

/** As `6b 65 79`. */
const pairs = (value: string): string =>
  bytes(value)
    .toString('hex')
    .replaceAll(/..(?!$)/g, '$& ');

/** Forms of {@link VALUE} in the output of programs; the forms without a call were taken from the programs themselves. */
const printed: Record<string, string> = {
  'as it is': VALUE,
  'in JSON': json(VALUE),
  'in JSON in JSON': json(json(VALUE)),
  'in JSON in JSON in JSON': json(json(json(VALUE))),
  'in JSON of Python': `P@ss \\"w/\\u00f6rd\\"\\\\ it's <1+1> & $HOME~,#`,
  'in JSON of Python in JSON': json(`P@ss \\"w/\\u00f6rd\\"\\\\ it's <1+1> & $HOME~,#`),
  'in JSON in JSON of Python': `P@ss \\\\\\"w/\\u00f6rd\\\\\\"\\\\\\\\ it's <1+1> & $HOME~,#`,
  'in JSON of Go': `P@ss \\"w/örd\\"\\\\ it's \\u003c1+1\\u003e \\u0026 $HOME~,#`,
  'in JSON of PHP': `P@ss \\"w\\/\\u00f6rd\\"\\\\ it's <1+1> & $HOME~,#`,
  'in JSON of .NET': `P@ss \\u0022w/\\u00F6rd\\u0022\\\\ it\\u0027s \\u003C1\\u002B1\\u003E \\u0026 $HOME~,#`,
  'as a component of a URL': encodeURIComponent(VALUE),
  'as a component of a URL, in lower case': encodeURIComponent(VALUE).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  'as a component of a URL, RFC 3986': encodeURIComponent(VALUE).replaceAll("'", '%27'),
  'in a URL': new URL(`http://host/?q=${encodeURIComponent(VALUE)}`).search.slice(3),
  'as a URI': encodeURI(VALUE),
  'in a form': new URLSearchParams({ q: VALUE }).toString().slice(2),
  'as a path of a URL': `P%40ss%20%22w/%C3%B6rd%22%5C%20it%27s%20%3C1%2B1%3E%20%26%20%24HOME~%2C%23`,
  'with every byte percent-encoded': [...bytes(VALUE)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(''),
  'with every byte percent-encoded, in lower case': [...bytes(VALUE)].map((byte) => `%${byte.toString(16)}`).join(''),
  'in hexadecimal': bytes(VALUE).toString('hex'),
  'in hexadecimal, in upper case': bytes(VALUE).toString('hex').toUpperCase(),
  'in hexadecimal, wrapped': bytes(VALUE).toString('hex').replaceAll(/.{60}/g, '$&\n'),
  'between single quotes': VALUE.replaceAll("'", `'\\''`),
  'between quotes of Python': VALUE.replaceAll("'", `'"'"'`),
  'between double quotes': `P@ss \\"w/örd\\"\\\\ it's <1+1> & \\$HOME~,#`,
  'as Python shows a text': `P@ss "w/örd"\\\\ it\\'s <1+1> & $HOME~,#`,
  'as Node shows a text': inspect(VALUE).slice(1, -1),
  'in HTML': 'P@ss "w/örd"\\ it\'s &lt;1+1&gt; &amp; $HOME~,#',
  'in hexadecimal, as Node shows bytes': inspect(bytes(VALUE)).slice('<Buffer '.length, -1),
  'in hexadecimal, as od shows bytes': pairs(VALUE).replaceAll(/(?:[^ ]+ ){16}/g, (line) => `${line.trimEnd()}\n `),
  'in hexadecimal, as a fingerprint': pairs(VALUE).replaceAll(' ', ':').toUpperCase(),
  'in hexadecimal, as in the text of a key': pairs(VALUE).replaceAll(' ', ':'),
  'in hexadecimal of .NET': pairs(VALUE).replaceAll(' ', '-').toUpperCase(),
  'in CSV': VALUE.replaceAll('"', '""'),
  'in SQL': VALUE.replaceAll("'", "''"),
  'in SQL in JSON': json(VALUE.replaceAll("'", "''")),
  'with accents as characters of their own': VALUE.normalize('NFD'),
  'with accents as characters of their own, in a URL': encodeURIComponent(VALUE.normalize('NFD')),
  'in HTML of Go': 'P@ss &#34;w/örd&#34;\\ it&#39;s &lt;1+1&gt; &amp; $HOME~,#',
  'in HTML of templates of Go': 'P@ss &#34;w/örd&#34;\\ it&#39;s &lt;1&#43;1&gt; &amp; $HOME~,#',
  'in HTML of PHP': 'P@ss &quot;w/örd&quot;\\ it&#039;s &lt;1+1&gt; &amp; $HOME~,#',
  'in XML, in ASCII': 'P@ss "w/&#246;rd"\\ it\'s &lt;1+1&gt; &amp; $HOME~,#',
  'in an attribute of XML, in ASCII': 'P@ss &quot;w/&#xF6;rd&quot;\\ it&apos;s &lt;1+1&gt; &amp; $HOME~,#',
  'in an attribute of HTML': 'P@ss &quot;w/örd&quot;\\ it&#39;s &lt;1+1&gt; &amp; $HOME~,#',
};

describe('P9: a value is masked', () => {
  const masker = createMasker([VALUE, 'another secret value']);
  test.each(Object.entries(printed))('%s', (_, form) => {
    expect(masker.mask(form)).toBe(MASK);
    expect(masker.mask(`x=${form};`)).toBe(`x=${MASK};`);
    const stream = masker.stream();
    expect(
      form
        .split('')
        .map((unit) => stream.write(unit))
        .join('') + stream.end(),
    ).toBe(MASK);
  });
});

describe('P9: a value is masked in base64', () => {
  const masker = createMasker([VALUE]);
  const encoded = bytes(VALUE);

  test.each([0, 1, 2, 3, 4, 5])('P9: a value is masked in base64 after %i other bytes', (count) => {
    for (const after of ['', 'z', '\n', 'zz', ' more text']) {
      const whole = Buffer.concat([Buffer.alloc(count, 'x'), encoded, Buffer.from(after)]);
      for (const text of [whole.toString('base64'), whole.toString('base64url')]) {
        // At most the two characters that the neighbours share with it stay, and what encodes the neighbours.
        expect(masker.mask(text)).toContain(MASK);
        expect(masker.mask(text).replace(MASK, '').length).toBeLessThanOrEqual(
          Math.ceil(((count + after.length) * 4) / 3) + 6,
        );
      }
    }
  });

  test('P9: a value is masked in base64 when lines are broken anywhere', () => {
    const text = Buffer.concat([Buffer.from('user:'), encoded, encoded]).toString('base64');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), fc.constantFrom('\n', '\r\n'), (width, end) => {
        const wrapped = text.replaceAll(new RegExp(`.{${width}}`, 'g'), `$&${end}`);
        expect(masker.mask(wrapped).replaceAll(/[\r\n]/g, '')).toBe(masker.mask(text));
      }),
    );
    expect(masker.mask(text).replaceAll(MASK, '').length).toBeLessThan(16);
  });

  test.each([64, 76])('P9: a value is masked in base64 when its lines of %i characters are in JSON', (width) => {
    const long = `${'a long secret with many characters '.repeat(8)}end`;
    const wrapped = bytes(long)
      .toString('base64')
      .replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n');
    const rest = createMasker([long]).mask(json(wrapped)).replaceAll(MASK, '').replaceAll('\\n', '');
    expect(rest.length).toBeLessThan(8);
  });
});

test('P9: a value with combining accents is masked with precomposed letters too', () => {
  expect(createMasker(['Zürich-Kö'.normalize('NFD')]).mask('in Zürich-Kö')).toBe(`in ${MASK}`);
});

test('P9: a value of more than 4 KiB is masked as files are shown', () => {
  const lines = Array.from({ length: 200 }, (_, index) => `SETTING_${index}="the value 'no. ${index * 7919}'"`);
  const value = `${lines.join('\n')}\n`;
  const masker = createMasker([value]);
  expect(masker.mask(value)).toMatch(/^<secret-hidden>\n?$/);
  expect(masker.mask(json(value))).toBe(MASK);
  expect(masker.mask(`7  ${lines[6]}\n8  ${json(lines[7] ?? '')}\n`)).toBe(`7  ${MASK}\n8  ${MASK}\n`);
  expect(masker.mask(`x ${bytes(value).toString('base64')} x`)).toBe(`x ${MASK} x`);
});

const character = fc.oneof(
  fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
  fc.constantFrom('\n', '\t', 'é', '→', '😀', "'", '"', '\\', '$', '\u0001', '\u001b'),
);
const awkward = fc
  .array(character, { minLength: 12, maxLength: 40 })
  .map((characters) => characters.join(''))
  .filter((value) => value.replaceAll('\n', '').trim().length >= 8);

/** CI tries a third of the values. */
const part = isCi ? 3 : 1;

const shells: Record<string, string> = {
  'printf %q': `printf '%q' "$value"`,
  'printf %q in the C locale': `LC_ALL=C; printf '%q' "$value"`,
  '${value@Q}': `printf '%s' "\${value@Q}"`,
  'declare -p': 'declare -p value',
  'set -x': 'exec 2>&1; set -x; : "$value"; set +x',
};

test.skipIf(process.platform === 'win32').each(Object.entries(shells))(
  'P9: a value is masked as bash quotes it with %s',
  (_, script) => {
    const values = fc.sample(awkward, { numRuns: 150 / part, seed: 7 });
    const loop = `for value in "$@"; do ( ${script} ) ; printf '\\0\\0'; done`;
    const { stdout } = spawnSync('bash', ['-c', loop, 'bash', ...values], { encoding: 'utf8' });
    const quoted = stdout.split('\0\0').slice(0, -1);
    expect(quoted).toHaveLength(values.length);
    const open = values.filter((value, index) => !createMasker([value]).mask(`${quoted[index]} `).includes(MASK));
    expect(open).toEqual([]);
  },
);

test('P9: every value is masked as JavaScript encodes it', () => {
  fc.assert(
    fc.property(fc.oneof(awkward, fc.string({ minLength: 12, unit: 'binary' })), (value) => {
      fc.pre(value.replaceAll(/[\r\n]/g, '').trim().length >= 8);
      const masker = createMasker([value]);
      const texts = [
        JSON.stringify(value),
        JSON.stringify(JSON.stringify(value)),
        new URLSearchParams({ value }).toString(),
        encodeURIComponent(value.toWellFormed()),
        Buffer.from(value).toString('base64'),
        Buffer.from(value).toString('hex'),
      ];
      for (const text of texts) expect(masker.mask(`${text} `)).toContain(MASK);
    }),
    { numRuns: 300 / part },
  );
});
