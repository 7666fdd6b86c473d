/**
 * An S3 server in this process, for tests: conditional writes, ranges, listing, multipart uploads, checksums and signatures as
 * S3 does them, with faults on demand and a record of every request.
 *
 * @packageDocumentation
 */
export {
  conflict,
  cut,
  dropAfter,
  dropBefore,
  hold,
  refuse,
  refuseAfter,
  slowDown,
  type Fault,
  type FaultHook,
  type SeenRequest,
} from './fault.ts';
export type { Operation } from './operation.ts';
export { createS3Server, type DirectAnswer, type S3Server, type S3ServerOptions } from './s3-server.ts';
export type { RawRequest } from './s3-request.ts';
export type { Credentials } from './signature.ts';
