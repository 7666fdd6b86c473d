import { expect, test } from 'vitest';

import { imageAt, imageData } from '../src/index.ts';

test('an image of a message has a URL of http, https or data', () => {
  expect(imageAt('HTTPS://example.org/a.png')?.image_urls).toEqual(['HTTPS://example.org/a.png']);
  expect(imageAt('data:image/png;base64,AAAA')?.image_urls).toEqual(['data:image/png;base64,AAAA']);
  for (const url of ['file:///etc/passwd', 'data:text/html,hello', 7, undefined]) expect(imageAt(url)).toBeUndefined();
});

test('the data of an image are read from a URL that holds them in base64, and from no other', () => {
  expect(imageData('data:image/png;base64,AA\nAA')).toEqual({ mimeType: 'image/png', data: 'AA\nAA' });
  for (const url of [
    'https://example.org/a.png',
    'data:;base64,AAAA',
    'data:image/svg+xml,<svg/>',
    'data:image/png;a=b;base64,AAAA',
  ])
    expect(imageData(url)).toBeUndefined();
});
