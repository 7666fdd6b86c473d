import type { Artifact, Message, Part } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import type { JsonObject, MessagePart } from '@conv/core';
import type { ContentPart } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { imageAt, imageData, type Decision } from '@conv/turns';

/** The ids that messages and updates of a task carry. */
export type TaskIds = Pick<Message, 'taskId' | 'contextId'>;

/** The content of a message. */
export interface MessageInput {
  readonly content: readonly Exclude<MessagePart, string>[];
  readonly decisions: readonly Decision[];
}

/** Returns the content of a message. Throws the protocol's errors for parts that a conversation does not take. */
export function inputOf(parts: readonly Part[]): MessageInput {
  const decisions = parts.flatMap((part) => decisionOf(part) ?? []);
  return { content: parts.filter((part) => !decisionOf(part)).map(contentOf), decisions };
}

function decisionOf({ content }: Part): Decision | undefined {
  const value: unknown = content?.$case === 'data' ? content.value : undefined;
  if (!isObject(value) || typeof value['call'] !== 'string') return undefined;
  const { call, approved, reason, output, isError, arguments: args } = value;
  // a client that rejects may send again the part that it was asked by
  const edit = approved === true ? (args as JsonObject) : undefined;
  if (typeof approved === 'boolean')
    return { actionId: call, approved, edit, ...(typeof reason === 'string' ? { reason } : {}) };
  if (output === undefined)
    throw new RequestMalformedError(`expected approved or output in the part of call ${call}, found neither`);
  const told = typeof output === 'string' ? output : JSON.stringify(output);
  return { actionId: call, output: told, isError: isError === true };
}

function contentOf({ content, mediaType }: Part): Exclude<MessagePart, string> {
  if (content?.$case === 'text') return { type: 'text', text: content.value };
  if (content?.$case === 'data') return { type: 'text', text: JSON.stringify(content.value) };
  const given =
    content?.$case === 'raw' ? `data:${mediaType};base64,${content.value.toString('base64')}` : content?.value;
  const image = mediaType.startsWith('image/') ? imageAt(given) : undefined;
  if (image) return image;
  if (content?.$case === 'raw' && mediaType.startsWith('text/'))
    return { type: 'text', text: content.value.toString() };
  throw new ContentTypeNotSupportedError(
    `expected text, data or an image, found ${content?.$case ?? 'an empty part'} of ${mediaType || 'no media type'}`,
  );
}

/** Returns a text as a part. */
export function textPart(text: string): Part {
  return partOf({ $case: 'text', value: text }, 'text/plain');
}

/** Returns a value as a part. */
export function dataPart(value: object): Part {
  return partOf({ $case: 'data', value }, 'application/json');
}

/** Returns content as parts. Empty texts are left out, because a part is to say something. */
export function partsOf(content: readonly ContentPart[]): readonly Part[] {
  return content.flatMap((part): Part[] => {
    if ('text' in part) return part.text === '' ? [] : [textPart(part.text)];
    return part.image_urls.map(imagePart);
  });
}

function imagePart(url: string): Part {
  const image = imageData(url);
  if (!image) return partOf({ $case: 'url', value: url }, 'image/*');
  return partOf({ $case: 'raw', value: Buffer.from(image.data, 'base64') }, image.mimeType);
}

function partOf(content: NonNullable<Part['content']>, mediaType: string): Part {
  return { content, mediaType, filename: '', metadata: undefined };
}

/** Returns a message of a task. */
export function messageOf(of: Pick<Message, 'messageId' | 'role'>, ids: TaskIds, parts: readonly Part[]): Message {
  return { ...of, ...ids, parts: [...parts], metadata: undefined, extensions: [], referenceTaskIds: [] };
}

/** Returns an artifact. */
export function artifactOf(artifactId: string, parts: readonly Part[]): Artifact {
  return { artifactId, name: 'answer', description: '', parts: [...parts], metadata: undefined, extensions: [] };
}
