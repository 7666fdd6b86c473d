/** The address at which the program lies, and the bytes before its code. */
const [BASE, HEADERS] = [0x40_00_00, 120] as const;

/**
 * Returns an executable file for Linux on x86-64 that makes one system call as programs of 32 bits do, by `int 0x80`, which a compiler is not needed for.
 * It ends with 0 if the call succeeds, else with 1. `text`: the first argument, such as a path.
 */
export function oldCall(number: number, text: string, second: number, third = 0): Buffer {
  const word = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
  const code = (at: number): number[] =>
    [
      [0xb8, ...word(number)], // mov eax, number
      [0xbb, ...word(at)], // mov ebx, text
      [0xb9, ...word(second)], // mov ecx, second
      [0xba, ...word(third)], // mov edx, third
      [0xcd, 0x80], // int 0x80
      [0x31, 0xff], // xor edi, edi
      [0x85, 0xc0], // test eax, eax
      [0x79, 0x02], // jns over the next one
      [0xff, 0xc7], // inc edi
      [0xb8, ...word(60)], // mov eax, exit
      [0x0f, 0x05], // syscall
    ].flat();
  const { length } = code(0);
  const body = Buffer.from([...code(BASE + HEADERS + length), ...Buffer.from(`${text}\0`)]);
  // https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html, with one segment that is read and run
  const file = Buffer.alloc(HEADERS);
  file.write('\x7fELF\x02\x01\x01', 'latin1');
  file.set([2, 0, 62, 0, 1], 16);
  file.writeBigUInt64LE(BigInt(BASE + HEADERS), 24);
  file.writeBigUInt64LE(64n, 32);
  file.set([64, 0, 56, 0, 1], 52);
  file.set([1, 0, 0, 0, 5], 64);
  file.writeBigUInt64LE(BigInt(BASE), 80);
  file.writeBigUInt64LE(BigInt(BASE), 88);
  for (const at of [96, 104]) file.writeBigUInt64LE(BigInt(HEADERS + body.length), at);
  file.writeBigUInt64LE(4096n, 112);
  return Buffer.concat([file, body]);
}
