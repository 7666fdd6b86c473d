import {
  createBucket,
  deleteBucket,
  getBucketLocation,
  headBucket,
  listBuckets,
  listObjects,
} from './bucket-operations.ts';
import { abortUpload, completeUpload, createUpload, uploadPart } from './multipart-operations.ts';
import { copyObject, deleteObject, deleteObjects, getObject, putObject } from './object-operations.ts';
import type { Operation } from './operation.ts';
import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';
import type { S3Answer, Storage } from './storage.ts';

const handlers: Readonly<Record<Operation, (storage: Storage, request: S3Request) => S3Answer>> = {
  ListBuckets: listBuckets,
  CreateBucket: createBucket,
  HeadBucket: headBucket,
  DeleteBucket: deleteBucket,
  GetBucketLocation: getBucketLocation,
  ListObjectsV2: listObjects,
  DeleteObjects: deleteObjects,
  PutObject: putObject,
  CopyObject: copyObject,
  GetObject: getObject,
  HeadObject: getObject,
  DeleteObject: deleteObject,
  CreateMultipartUpload: createUpload,
  UploadPart: uploadPart,
  CompleteMultipartUpload: completeUpload,
  AbortMultipartUpload: abortUpload,
  NotImplemented: refuse,
};

/** Carries a request out. It does not wait for anything, so that each request happens as a whole or not at all. */
export function answerRequest(storage: Storage, request: S3Request): S3Answer {
  return handlers[request.operation](storage, request);
}

function refuse(): never {
  throw new S3Error(501, 'NotImplemented', 'This server does not implement what you asked for.');
}
