/** Variables that make sets by itself, as a shell would set them. */
const BUILT_IN = ["RM='rm -f'", "CURDIR='.'", "DESTDIR=''", "AR='ar'", "CP='cp'", "INSTALL='install'"];
const ASSIGNMENT = /^(?:override\s+|export\s+)*([A-Za-z_]\w*)\s*(?:[?+!]|:{0,3})=\s*(.*)$/;
const RULE_WITH_RECIPE = /^[^\t#=]*:[^=;]*;(.*)$/;

/**
 * Returns the commands of a makefile as scripts for a shell: first its variables, then each line of a recipe, which make
 * gives to a shell of its own.
 */
export function recipesOf(makefile: string): readonly string[] {
  const variables = [...BUILT_IN];
  const recipes: string[] = [];
  // another sign for recipes would hide them: every line is read then
  const isAny = makefile.includes('.RECIPEPREFIX');
  for (const line of makefile.replaceAll(/\\\n[ \t]*/g, ' ').split('\n')) {
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? [];
    const recipe = line.startsWith('\t') ? line : RULE_WITH_RECIPE.exec(line)?.[1];
    if (recipe !== undefined) recipes.push(commandOf(recipe));
    else if (isAny && /^\S\s*\S/.test(line) && name === undefined) recipes.push(commandOf(line.slice(1)));
    else if (name !== undefined) variables.push(`${name}="${expanded(value).replaceAll('"', "'")}"`);
    // a function of make at the top level runs when the file is read
    else if (line.includes('$(shell') || line.includes('${shell'))
      variables.push(`: ${expanded(line).replaceAll(/[;&|#<>]/g, ' ')}`);
  }
  return [variables.join('\n'), ...recipes.filter((one) => one !== '').map((one) => `(${one}\n)`)];
}

function commandOf(recipe: string): string {
  const command = recipe.replace(/^\s*[@+\s-]*/, '');
  return command.startsWith('#') ? '' : expanded(command);
}

/** Writes references of make as references of a shell. */
function expanded(text: string): string {
  let made = '';
  for (let at = 0; at < text.length; at += 1) {
    const next = text[at + 1];
    if (text[at] !== '$' || next === undefined) made += text[at];
    else if (next === '(' || next === '{') {
      const end = endOf(text, at + 1);
      made += reference(text.slice(at + 2, end));
      at = end;
    } else {
      // `$$` is a dollar of the shell, `$@` and its like are names of files
      made += next === '$' ? '$' : /[A-Za-z_]/.test(next) ? `\${${next}}` : 'target';
      at += 1;
    }
  }
  return made;
}

function endOf(text: string, open: number): number {
  const close = text[open] === '(' ? ')' : '}';
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === text[open]) depth += 1;
    else if (text[at] === close && --depth === 0) return at;
  }
  return text.length;
}

function reference(body: string): string {
  if (/^[A-Za-z_]\w*$/.test(body)) return `\${${body}}`;
  if (/^[@<^?*+|%][DF]?$/.test(body)) return 'target';
  const [, command] = /^shell\s+(.*)$/s.exec(body) ?? [];
  if (command !== undefined) return `$(${expanded(command)})`;
  // another function, or a name that is made while make runs
  const [, of] = /^([A-Za-z_]\w*):/.exec(body) ?? [];
  return of === undefined ? `\${MADE_BY_MAKE}` : `\${${of}}`;
}
