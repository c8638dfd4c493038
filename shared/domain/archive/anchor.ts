/**
 * Names and reads anchors: the seal whose hash leaves the account on a day.
 *
 * The archive fixes the seal before its hash leaves.
 */

export interface Anchor {
  /** The number of the seal. */
  readonly number: number;
  /** The hash of the seal's note, in hex. */
  readonly hash: string;
  /** When the seal was chosen, ISO 8601. */
  readonly at: string;
}

const TEXT = /^(0|[1-9]\d{0,14}) ([0-9a-f]{64}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;

/** One a day (UTC), so that of two that are chosen at once one holds. */
export const anchorName = (now: number): string => `anchor/${new Date(now).toISOString().slice(0, 10)}`;

/** Name of the object that holds the same text once people were told of the anchor. */
export const toldName = (anchor: string): string => `${anchor}.told`;

export const textOfAnchor = ({ number, hash, at }: Anchor): string => `${number} ${hash} ${at}\n`;

/** Reads an anchor from its text; undefined for any other text. */
export function readAnchor(text: string): Anchor | undefined {
  const [, number, hash = '', at = ''] = TEXT.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), hash, at };
}
