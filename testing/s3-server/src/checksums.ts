import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { S3Error } from './s3-error.ts';

/** The checksums that S3 takes along with a body, by the end of their header's name; values in base64. */
const algorithms: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  crc32: (bytes) => base64Of32(crc32(bytes)),
  crc32c: (bytes) => base64Of32(crc32c(bytes)),
  crc64nvme,
  sha1: (bytes) => createHash('sha1').update(bytes).digest('base64'),
  sha256: (bytes) => createHash('sha256').update(bytes).digest('base64'),
};

/** Checksums as their headers carry them: `x-amz-checksum-crc32` and the like. */
export type ChecksumHeaders = Readonly<Record<string, string>>;

/** Returns the checksums that came with a body. Throws `BadDigest` for a wrong checksum. */
export function checkBody(body: Uint8Array, announced: (header: string) => string | undefined): ChecksumHeaders {
  const md5 = announced('content-md5');
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) {
    throw new S3Error(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  const found: Record<string, string> = {};
  for (const [name, compute] of Object.entries(algorithms)) {
    const header = `x-amz-checksum-${name}`;
    const value = announced(header);
    if (value === undefined) continue;
    if (compute(body) !== value) {
      throw new S3Error(400, 'BadDigest', `The ${name} you specified did not match the calculated checksum.`);
    }
    found[header] = value;
  }
  return found;
}

/** The checksum that S3 adds to an object that came without one. */
export function ownChecksum(body: Uint8Array): ChecksumHeaders {
  return { 'x-amz-checksum-crc64nvme': crc64nvme(body) };
}

function base64Of32(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes.toString('base64');
}

const crc32cTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0x82f63b78 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc32c(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (crc32cTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}

/** Halves of 64 bits: whole numbers of JavaScript end at 53, and BigInt is too slow for megabytes. */
const crc64Table = Array.from({ length: 256 }, (_, index) => {
  let [high, low] = [0, index];
  for (let bit = 0; bit < 8; bit++) {
    const odd = low & 1;
    low = (low >>> 1) | ((high & 1) << 31);
    high >>>= 1;
    if (odd) [high, low] = [high ^ 0x9a6c9329, low ^ 0xac4bc9b5];
  }
  return [high >>> 0, low >>> 0] as const;
});

function crc64nvme(bytes: Uint8Array): string {
  let [high, low] = [0xffffffff, 0xffffffff];
  for (const byte of bytes) {
    const [tableHigh, tableLow] = crc64Table[(low ^ byte) & 0xff] ?? [0, 0];
    low = (((low >>> 8) | (high << 24)) ^ tableLow) >>> 0;
    high = ((high >>> 8) ^ tableHigh) >>> 0;
  }
  const value = Buffer.alloc(8);
  value.writeUInt32BE(~high >>> 0, 0);
  value.writeUInt32BE(~low >>> 0, 4);
  return value.toString('base64');
}
