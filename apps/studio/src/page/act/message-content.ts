import type { ContentPart } from '@conv/core/events';
import type { Api } from '../data/api.ts';
import { type Attachment, toDataUrl } from './attachments.ts';
import { uploadFiles, withFiles } from './upload-files.ts';

/** A message as a person wrote it. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Uploads the files of a draft, and resolves with its parts: the text, which names the files, and the images. */
export async function messageContent(
  api: Api,
  workspace: string,
  { text, attachments }: Draft,
): Promise<readonly ContentPart[]> {
  const images = attachments.filter(({ isImage }) => isImage);
  const urls = await Promise.all(images.map(({ file }) => toDataUrl(file, images.length)));
  const files = attachments.filter(({ isImage }) => !isImage);
  const whole = withFiles(text, await uploadFiles(api, workspace, files));
  return [
    ...(whole.trim() === '' ? [] : [{ type: 'text' as const, text: whole }]),
    ...urls.map((url) => ({ type: 'image' as const, image_urls: [url] })),
  ];
}
