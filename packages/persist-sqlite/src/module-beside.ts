/** URL of a module beside another one, with the extension that the other one has: as source or as built. */
export function moduleBeside(url: string, path: string): string {
  return new URL(`${path}${url.endsWith('.ts') ? '.ts' : '.js'}`, url).href;
}
