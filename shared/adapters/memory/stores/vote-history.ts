/** Stores earlier votes of people in memory. */
import type { EndLine, VoteHistory, VoteLine } from '../../../ports/stores/vote-history.ts';
import { getOrAdd } from './state.ts';

export function memoryVoteHistory(): VoteHistory {
  const votes = new Map<string, Map<string, VoteLine>>();
  const ends = new Map<string, Map<string, EndLine>>();
  const looks = new Map<string, string>();
  const newest = <Line extends { readonly at: string }>(lines: Map<string, Line> | undefined, most: number): Line[] =>
    [...(lines ?? [])]
      .toSorted(([a], [b]) => (a < b ? 1 : -1))
      .flatMap(([, line], index) => (index < most ? [line] : []));
  const key = ({ at, pid }: VoteLine | EndLine) => `${at}#${pid}`;
  return {
    async noteLook({ team, user }, at) {
      looks.set(`${team}/${user}`, at);
    },
    lastLook: async ({ team, user }) => looks.get(`${team}/${user}`),
    async addVote({ team, user }, line) {
      getOrAdd(votes, `${team}/${user}`, () => new Map()).set(key(line), { ...line });
    },
    votesOf: async ({ team, user }, most) => newest(votes.get(`${team}/${user}`), most),
    async addEnds(added) {
      for (const { kind, line } of added) getOrAdd(ends, kind, () => new Map()).set(key(line), { ...line });
    },
    endsOf: async (kind, most) => newest(ends.get(kind), most),
  };
}
