import { expect, test } from 'vitest';
import { ansiColor } from '../src/react/ansi-color.ts';

test('a usual colour of a terminal is itself, bright or not', () => {
  expect([ansiColor('ansi-red', null), ansiColor('ansi-bright-cyan', null)]).toEqual(['red', 'cyan']);
});

test('a colour of the 256 is shown as the nearest usual one', () => {
  const named = { 196: 'red', 208: 'yellow', 226: 'yellow', 46: 'green', 39: 'cyan', 21: 'blue', 201: 'magenta' };
  const greys = { 16: 'black', 231: 'white', 236: 'black', 250: 'white' };
  for (const [place, color] of Object.entries({ ...named, ...greys }))
    expect([place, ansiColor(`ansi-palette-${place}`, null)]).toEqual([place, color]);
});

test('any mix of red, green and blue is shown as the nearest usual colour', () => {
  const mixes = [
    '255, 0, 0',
    '250, 200, 40',
    '30, 200, 90',
    '0, 180, 200',
    '60, 90, 250',
    '200, 60, 200',
    '90, 90, 90',
  ];
  expect(mixes.map((mix) => ansiColor('ansi-truecolor', mix))).toEqual([
    'red',
    'yellow',
    'green',
    'cyan',
    'blue',
    'magenta',
    'black',
  ]);
});

test('a text without colour has none', () => {
  for (const name of [null, '', 'ansi-truecolor', 'ansi-palette-x', 'red'])
    expect(ansiColor(name, null)).toBeUndefined();
});
