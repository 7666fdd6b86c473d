import type { Redirection } from 'unbash';
import { resolveOne, resolveParts, type Substitutions } from './resolve.ts';
import type { Output, ShellWord } from './word.ts';

/** A shell whose commands read and write files. */
export interface RedirectingShell extends Substitutions {
  /** Reports a file that a command reads, and returns its content as far as it is known. */
  readsFrom(word: ShellWord): Output;
  /** Reports a file that a command writes. */
  writesTo(word: ShellWord, output: Output): void;
}

/** The input that redirections give a command; `given` when they give it none. */
export function inputOf(
  redirects: readonly Redirection[],
  given: Output | undefined,
  shell: RedirectingShell,
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
      input = word.output ?? shell.readsFrom(word);
    }
  }
  return input;
}

/** Reports the files that redirections write a command's output to. */
export function writeTargets(redirects: readonly Redirection[], output: Output, shell: RedirectingShell): void {
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || redirect.operator === '<') continue;
    const word = resolveOne(redirect.target, shell);
    if (word.text === '/dev/null') continue;
    const isDescriptor = redirect.operator.endsWith('&') && /^[\d-]+$/.test(word.text);
    if (!isDescriptor) shell.writesTo(word, output);
  }
}
