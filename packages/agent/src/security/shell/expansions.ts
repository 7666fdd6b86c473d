import type { ParameterExpansionPart, ParameterOperation, Word } from 'unbash';
import { UNKNOWN } from '../facts/places.ts';
import { withoutMatch } from './removal.ts';
import type { Value, Variables } from './variables.ts';

/** A shell that knows variables, and reads scripts inside of what it takes for a number or a name. */
interface EvaluatingShell {
  readonly variables: Variables;
  evaluate(text: string): void;
}

/** Returns the value of `${…}`. Each word in it is read once, because it may hold scripts. */
export function expand(part: ParameterExpansionPart, read: (word: Word) => Value, shell: EvaluatingShell): Value {
  const { operation, index, prefix, parameter } = part;
  if (index !== undefined) shell.evaluate(read(index).text);
  const operands = wordsOf(operation).map(read);
  const value = shell.variables.get(parameter);
  if (prefix === '#') return { text: '1', origin: 0 };
  if (prefix === '!') {
    shell.evaluate(value.text);
    return { text: UNKNOWN, origin: originOf(value, operands) };
  }
  if (operation === undefined) return value;
  if (operation.type === 'Default')
    return defaultOf(value, operation.operator, operands, shell.variables.has(parameter));
  if (operation.type === 'Slice') for (const { text } of operands) shell.evaluate(text);
  // the value is expanded once more, as a prompt
  if (operation.type === 'Transform') shell.evaluate(value.text);
  return {
    text: operation.type === 'Remove' ? removed(value.text, operation, operands[0]?.text ?? '') : UNKNOWN,
    origin: originOf(value, operands),
  };
}

function wordsOf(operation: ParameterOperation | undefined): readonly Word[] {
  if (operation === undefined) return [];
  switch (operation.type) {
    case 'Default':
    case 'Remove':
    case 'Transform':
      return [operation.operand];
    case 'CaseModification':
      return operation.operand === undefined ? [] : [operation.operand];
    case 'Replace':
      return [operation.pattern, operation.replacement];
    case 'Slice':
      return operation.length === undefined ? [operation.offset] : [operation.offset, operation.length];
    case 'Names':
    case 'Unknown':
      return [];
  }
}

function originOf({ origin }: Value, operands: readonly Value[]): number {
  return operands.reduce((all, one) => all | one.origin, origin);
}

function defaultOf(value: Value, operator: string, [operand]: readonly Value[], isSet: boolean): Value {
  if (operand === undefined || operator.endsWith('?')) return value;
  return isSet && !operator.endsWith('+') ? value : operand;
}

function removed(
  text: string,
  { operator, operand }: Extract<ParameterOperation, { type: 'Remove' }>,
  pattern: string,
): string {
  // signs between quotes stand for themselves
  return /['"\\]/.test(operand.text) && /[*?[]/.test(pattern) ? UNKNOWN : withoutMatch(text, operator, pattern);
}
