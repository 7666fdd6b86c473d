import { type Call, operandsOf } from './call.ts';

/** Reads scripts in operands that name variables: `unset 'a[$(…)]'`. */
export function evaluateNames(call: Call, withValue = ''): void {
  const { shell } = call;
  for (const { text } of operandsOf(call, withValue)) {
    const end = text.search(/\+?=/);
    shell.evaluate(end === -1 ? text : text.slice(0, end));
  }
}
