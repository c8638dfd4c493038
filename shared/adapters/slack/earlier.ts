/** How people decided about the like before: shown beside the question, never counted. */

export interface Earlier {
  readonly approved: number;
  readonly rejected: number;
  /** When the last of them was decided. */
  readonly last: string;
}

export function earlierText({ approved, rejected, last }: Earlier): string {
  const parts = [...(approved ? [`${approved} approved`] : []), ...(rejected ? [`${rejected} rejected`] : [])];
  return `The like of it before: ${parts.join(', ')}; last on ${last.slice(0, 10)}.`;
}
