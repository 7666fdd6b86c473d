import { checks } from '@conv/core';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Throws `INVALID_INPUT` for headers that HTTP cannot send. The text holds no value, because a value may be a key. */
export function checkHeaders(headers: unknown): void {
  if (headers === undefined) return;
  if (typeof headers !== 'object' || headers === null)
    throw checks.invalid(checks.wrongValue('RemoteWorkspace: headers', 'an object of names and values', headers));
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name))
      throw checks.invalid(
        `RemoteWorkspace: headers: expected the name of a header, found ${JSON.stringify(name)}; use letters, digits and dashes`,
      );
    if (typeof value !== 'string' || !VALUE.test(value))
      throw checks.invalid(
        `RemoteWorkspace: headers: expected a text in one line for ${name}, found another value; remove line ends and characters beyond Latin-1`,
      );
  }
}
