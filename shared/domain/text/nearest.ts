/** Finds the nearest valid spelling of a misspelt word, for messages. */

/** Letters that are missing, too many, others, or swapped with their neighbour, each counting once. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] as number) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}

/** The candidate within a third of its length, case ignored; the first of equals. */
export function nearestSpelling(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  if (word.length > 64) return undefined;
  for (const candidate of candidates) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    if (far < bestDistance && far <= Math.max(1, Math.floor(candidate.length / 3))) {
      best = candidate;
      bestDistance = far;
    }
  }
  return best;
}

/** The end of a message about a word that is none of these. */
export function orNearest(word: string, known: Iterable<string>): string {
  const nearest = nearestSpelling(word, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
