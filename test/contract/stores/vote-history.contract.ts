/** Checks that ends of approvals are read back by their kind, the newest first. */
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import type { VoteHistory } from '../../../shared/ports/stores/vote-history.ts';
import { at } from '../support/rows.ts';

let cases = 0;

export function voteHistoryContract(it: () => VoteHistory): void {
  const newKind = () => sha256Hex(`kind ${++cases}`);
  const end = (pid: string, minute: number) => ({ pid, result: 'approved', at: at(minute * 60_000) }) as const;

  test('ends are read by their kind, the newest first, and the same end added twice is one', async () => {
    const [exact, like] = [newKind(), newKind()];
    const first = end('first', 1);
    await it().addEnds([exact, like].map((kind) => ({ kind, line: first })));
    await it().addEnds([exact, like].map((kind) => ({ kind, line: first })));
    await it().addEnds([{ kind: like, line: end('second', 2) }]);
    expect(await it().endsOf(exact, 10)).toEqual([first]);
    expect(await it().endsOf(like, 10)).toEqual([end('second', 2), first]);
    expect(await it().endsOf(like, 1)).toEqual([end('second', 2)]);
    expect(await it().endsOf(newKind(), 10)).toEqual([]);
  });

  test('of a large batch all are kept', async () => {
    const kinds = Array.from({ length: 40 }, newKind);
    await it().addEnds(kinds.map((kind) => ({ kind, line: end('batch', 3) })));
    for (const kind of kinds) expect(await it().endsOf(kind, 10)).toEqual([end('batch', 3)]);
  });

  test('none is nothing', async () => {
    await it().addEnds([]);
  });
}
