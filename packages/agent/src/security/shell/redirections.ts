import type { Redirection } from 'unbash';
import { readsFrom, writesTo } from '../commands/file-access.ts';
import type { ShellReader } from './reader.ts';
import { resolveOne, resolveParts } from './resolve.ts';
import type { Output } from './word.ts';

/** The input that redirections give a command; `given` when they give it none. */
export function inputOf(
  redirects: readonly Redirection[],
  given: Output | undefined,
  shell: ShellReader,
): Output | undefined {
  let input = given;
  for (const redirect of redirects) {
    if (redirect.type === 'HereString') {
      const { text, origin } = resolveOne(redirect.target, shell);
      input = { text, origin };
    } else if (redirect.type === 'HereDoc') {
      const { body } = redirect;
      input = body.parts === undefined ? { text: body.text, origin: 0 } : resolveParts(body.parts, shell);
    } else if (redirect.operator === '<' || redirect.operator === '<>') {
      const word = resolveOne(redirect.target, shell);
      input = word.output ?? readsFrom(word, shell);
    }
  }
  return input;
}

/** Reports the files that redirections write a command's output to. */
export function writeTargets(redirects: readonly Redirection[], output: Output, shell: ShellReader): void {
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || redirect.operator === '<') continue;
    const word = resolveOne(redirect.target, shell);
    if (word.text === '/dev/null') continue;
    const isDescriptor = redirect.operator.endsWith('&') && /^[\d-]+$/.test(word.text);
    if (!isDescriptor) writesTo(word, output, shell);
  }
}
