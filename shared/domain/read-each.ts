/** Reads rows one by one, so that one which cannot be read, as of a newer release, hides no other. */

/**
 * `unreadable` hears of each row that cannot be read, which is left out then.
 * @throws the problem of the first of them without it
 */
export const readEach = <Row, Read>(
  rows: readonly Row[],
  read: (row: Row) => Read,
  unreadable?: (problem: unknown) => void,
): Read[] =>
  rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!unreadable) throw error;
      unreadable(error);
      return [];
    }
  });
