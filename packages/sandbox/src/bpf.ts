/** An instruction of the machine in the kernel that judges system calls. `yes`, `no`: how many of the next instructions it leaves out if it is true, or not. */
interface Instruction {
  readonly code: number;
  readonly yes?: number;
  readonly no?: number;
  readonly value: number;
}

/** Instructions in their order, of which each way ends with a verdict or goes on behind the last one. */
export type Program = readonly Instruction[];

/** The longest way that a comparison can leave out. */
const LONGEST = 255;

/** Bytes of an instruction. */
const SIZE = 8;

// https://www.kernel.org/doc/html/latest/networking/filter.html, and linux/seccomp.h for verdicts and the facts of a call
const [LOAD, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT, VERDICT] = [0x20, 0x15, 0x35, 0x45, 0x06] as const;
const [ALLOWED, REFUSED] = [0x7f_ff_00_00, 0x00_05_00_00] as const;
const [NUMBER, ABI, ARGUMENTS] = [0, 4, 16] as const;

/** Loads the number of the call. */
export const loadNumber: Program = [{ code: LOAD, value: NUMBER }];

/** Loads the word that names the ABI of the call. */
export const loadAbi: Program = [{ code: LOAD, value: ABI }];

/** Lets the kernel carry out the call. */
export const allow: Program = [{ code: VERDICT, value: ALLOWED }];

/** Lets the call fail with an error. `errno`: its number. */
export function refuse(errno: number): Program {
  return [{ code: VERDICT, value: REFUSED | errno }];
}

/**
 * Loads an argument of the call, from 0. Loads its lower 32 bits, which are all that the kernel uses of a mode, a command or a family: a
 * comparison of 64 bits would not know the same value with other upper ones.
 */
export function loadArgument(at: number): Program {
  return [{ code: LOAD, value: ARGUMENTS + 8 * at }];
}

/** Does this if what was loaded is the value. */
export function ifEqual(value: number, then: Program): Program {
  return [{ code: IF_EQUAL, value, no: lengthOf(then) }, ...then];
}

/** Does this if what was loaded is none of the values. */
export function ifNoneOf(values: readonly number[], then: Program): Program {
  const others = values.map((value, at) => ({
    code: IF_EQUAL,
    value,
    yes: lengthOf(then) + values.length - 1 - at,
  }));
  return [...others, ...then];
}

/** Does this if what was loaded is the value or above it, as a number without a sign. */
export function ifAtLeast(value: number, then: Program): Program {
  return [{ code: IF_AT_LEAST, value, no: lengthOf(then) }, ...then];
}

/** Does this if what was loaded is below the value. */
export function ifBelow(value: number, then: Program): Program {
  return [{ code: IF_AT_LEAST, value, yes: lengthOf(then) }, ...then];
}

/** Does this if what was loaded has any of these bits. */
export function ifAnyBit(bits: number, then: Program): Program {
  return [{ code: IF_ANY_BIT, value: bits, no: lengthOf(then) }, ...then];
}

/** Returns the bytes of a program as the kernel takes them, on a machine whose lowest byte comes first. */
export function assembled(program: Program): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * SIZE));
  for (const [at, instruction] of program.entries()) {
    const start = at * SIZE;
    bytes.setUint16(start, instruction.code, true);
    bytes.setUint8(start + 2, instruction.yes ?? 0);
    bytes.setUint8(start + 3, instruction.no ?? 0);
    bytes.setUint32(start + 4, instruction.value, true);
  }
  return new Uint8Array(bytes.buffer);
}

function lengthOf(program: Program): number {
  if (program.length > LONGEST)
    throw new RangeError(
      `expected at most ${LONGEST} instructions behind a comparison, found ${program.length}: compare in parts`,
    );
  return program.length;
}
