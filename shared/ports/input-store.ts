/** Where inputs that are too large for a row are kept once, under their digest. */
export interface InputStore {
  /** Keeps `text`; kept twice is kept once. */
  put(digest: string, text: string): Promise<void>;
  /** Throws if it is missing or is not what the digest says. */
  get(digest: string): Promise<string>;
}
