import { forEachChild, type SyntaxNode } from 'unbash';

/** True if a function starts itself twice at once. */
export function isBomb(name: string, node: SyntaxNode): boolean {
  let calls = 0;
  let isPiped = false;
  const visit = (child: SyntaxNode): void => {
    if (child.type === 'Command' && child.name?.value === name) calls += 1;
    if (child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true)) isPiped = true;
    if (calls < 2 || !isPiped) forEachChild(child, visit);
  };
  forEachChild(node, visit);
  return calls >= 2 && isPiped;
}
