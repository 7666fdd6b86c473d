/** Error for settings that cannot be read. Their file or record is left unchanged. */
export class StoredObjectError extends Error {
  override readonly name = 'StoredObjectError';
  readonly place: string;

  constructor(place: string, options?: ErrorOptions) {
    super(
      `${place} is damaged, or was written with another key; start the server with that key, or remove it`,
      options,
    );
    this.place = place;
  }
}
