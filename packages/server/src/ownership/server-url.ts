/** Maximum length of a URL, because some stores cut off longer names of owners. */
const LONGEST = 200;

/** Returns the URL in the form in which servers name each other: no slash at its end. Throws `TypeError`. */
export function toServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!url || !isPlain || !/^https?:$/.test(url.protocol))
    throw new TypeError(
      'the URL of a server: expected http://HOST:PORT or https://HOST:PORT with nothing but a path behind it, found another text',
    );
  const name = url.origin + url.pathname.replace(/\/+$/, '');
  if (name.length > LONGEST)
    throw new TypeError(
      `the URL of a server: expected at most ${LONGEST} characters, found ${name.length}; shorten its path`,
    );
  return name;
}
