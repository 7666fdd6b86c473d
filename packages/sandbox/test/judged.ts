/** A system call as a filter sees it. */
export interface Call {
  /** The word of its ABI. */
  readonly abi: number;
  readonly number: number;
  readonly args?: readonly (number | bigint)[];
}

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97] as const;
const NAMES: Readonly<Record<number, string>> = {
  0x7f_ff_00_00: 'allowed',
  [0x5_00_00 | EPERM]: 'EPERM',
  [0x5_00_00 | ENOSYS]: 'ENOSYS',
  [0x5_00_00 | EAFNOSUPPORT]: 'EAFNOSUPPORT',
};

/** Returns the verdict of a filter on a call: runs it as the kernel does, instruction by instruction. Throws for a program that the kernel would not take. */
export function judged(filter: Uint8Array, { abi, number, args = [] }: Call): string {
  const program = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  const facts = new DataView(new ArrayBuffer(64));
  facts.setUint32(0, number, true);
  facts.setUint32(4, abi, true);
  for (const [at, value] of args.entries()) facts.setBigUint64(16 + 8 * at, BigInt.asUintN(64, BigInt(value)), true);
  let loaded = 0;
  for (let at = 0; at < program.byteLength; at += 8) {
    const [code, value] = [program.getUint16(at, true), program.getUint32(at + 4, true)];
    const jump = (isTrue: boolean): void => void (at += 8 * program.getUint8(at + (isTrue ? 2 : 3)));
    if (code === 0x20) loaded = facts.getUint32(value, true);
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x45) jump((loaded & value) !== 0);
    else if (code === 0x06) return NAMES[value] ?? String(value);
    else throw new Error(`expected an instruction that filters have, found ${code} at ${at / 8}`);
  }
  throw new Error('expected a verdict, found the end of the program');
}
