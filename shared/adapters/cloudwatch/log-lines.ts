/** Finds the lines of a function's log that hold a word, oldest first. */
import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';

/** Functions write JSON; lines that are none are the platform's, and hold no ids. */
export interface LogLine {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface LogSearch {
  readonly group: string;
  /** Any of them. Letters, digits, `.`, `:` and `-` alone: no word is a pattern. */
  readonly words: readonly string[];
  /** In milliseconds since 1970, both included. */
  readonly from: number;
  readonly to: number;
}

/** A page is a megabyte of the log at most, and may be empty. */
const MAX_PAGES = 50;
const WORD = /^[\w.:-]+$/;

/**
 * One request a page and word: local endpoints know no pattern with a choice.
 *
 * @returns `isCut` where the log goes on behind the last page that was read
 */
export async function linesWith(
  client: CloudWatchLogsClient,
  { group, words, from, to }: LogSearch,
): Promise<{ readonly lines: readonly LogLine[]; readonly isCut: boolean }> {
  const found = new Map<string, LogLine>();
  let isCut = false;
  for (const word of words) {
    if (!WORD.test(word)) continue;
    let nextToken: string | undefined;
    let pages = 0;
    do {
      const page = await client.send(
        new FilterLogEventsCommand({
          logGroupName: group,
          filterPattern: `"${word}"`,
          startTime: from,
          endTime: to,
          ...(nextToken === undefined ? {} : { nextToken }),
        }),
      );
      for (const [index, { eventId, timestamp = 0, message = '' }] of (page.events ?? []).entries()) {
        // Local endpoints match words as they like.
        const fields = message.includes(word) ? jsonOf(message) : undefined;
        if (fields) found.set(eventId ?? `${word} ${pages} ${index}`, { at: timestamp, fields });
      }
      nextToken = page.nextToken;
    } while (nextToken !== undefined && ++pages < MAX_PAGES);
    isCut ||= nextToken !== undefined;
  }
  return { lines: [...found.values()].toSorted((a, b) => a.at - b.at), isCut };
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
