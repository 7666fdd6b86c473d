/** Returns the URL of a module beside another one, with the same extension: `.ts` as source, `.js` as built. */
export function moduleBeside(url: string, path: string): string {
  return new URL(`${path}${url.endsWith('.ts') ? '.ts' : '.js'}`, url).href;
}
