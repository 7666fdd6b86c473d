/** A file that a person attached: an image goes into the message, any other file into the workspace. */
export interface Attachment {
  readonly id: string;
  readonly file: File;
  readonly isImage: boolean;
}

/** Media types of images that models read. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Bytes that an image may have in a message: an event holds at most 1 MiB, and base64 adds a third. */
const IMAGE_BYTES = 650_000;
/** Pixels of the longer side, beyond which models see no more. */
const IMAGE_SIDE = 2048;

/** Returns files as attachments. */
export function toAttachments(files: Iterable<File>): readonly Attachment[] {
  return [...files].map((file) => ({ id: crypto.randomUUID(), file, isImage: IMAGES.has(file.type) }));
}

/** Returns an image as a data URL that fits into a message with others; larger images are made smaller. */
export async function toDataUrl(file: File, images = 1): Promise<string> {
  const most = IMAGE_BYTES / images;
  if (file.size <= most) return readDataUrl(file);
  const picture = await createImageBitmap(file);
  try {
    for (let side = IMAGE_SIDE; side >= 256; side = Math.floor(side * 0.75)) {
      const smaller = await scaled(picture, side);
      if (smaller.size <= most) return await readDataUrl(smaller);
    }
  } finally {
    picture.close();
  }
  throw new Error(`${file.name} is too large to be sent as an image. Attach a smaller one.`);
}

function scaled(picture: ImageBitmap, side: number): Promise<Blob> {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The image cannot be read. Attach another one.'))),
      'image/jpeg',
      0.85,
    ),
  );
}

function readDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () =>
      reject(new Error('The file cannot be read. Attach another one.', { cause: reader.error })),
    );
    reader.readAsDataURL(blob);
  });
}

/** Returns the files of a paste or a drop. */
export function filesIn(data: DataTransfer | null): readonly File[] {
  return data ? [...data.files] : [];
}
