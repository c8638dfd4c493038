/** Names the calls of proposals, from their redacted texts and the policy file that is here. */
import type { Proposal } from '../../contract/index.ts';
import type { ToolNames } from '../../domain/proposal/call-name.ts';
import { isAlias } from '../../domain/record/alias.ts';
import type { Io } from './io.ts';
import { policyNear } from './settings.ts';

/** As many texts as one command reads; what is beyond them is named by its tools alone. */
const MAX_TEXTS = 200;

export interface Names {
  readonly tools: ToolNames;
  /** As the policy file calls a person; the id where it lists nobody of that id. An alias that is nobody's any more is a forgotten person. */
  person(user: string): string;
}

/** Without a policy file people keep their ids and tools their names. */
export async function namesNear(io: Io): Promise<Names> {
  const settings = (await policyNear(io))?.settings;
  const people = new Map(Object.values(settings?.people ?? {}).map(({ user, name }) => [user, name]));
  return { tools: settings?.tools ?? {}, person: (user) => people.get(user) ?? unlistedName(user, io) };
}

/** Where aliases are resolved, one that is left is nobody's; its beginning tells one such person from another. */
const unlistedName = (user: string, io: Io): string =>
  isAlias(user) && io.env['COUNTERSIGN_STATE_TABLE'] ? `a forgotten person (${user.slice(0, 8)})` : user;

/** Reads proposals by pid. A proposal that is gone, is stored elsewhere or may not be read here is left out. */
export async function proposalsOf(pids: readonly string[], stateTable: string): Promise<ReadonlyMap<string, Proposal>> {
  const [{ proposalTexts }, { dynamo }, { proposal: schema }, { parseJson }] = await Promise.all([
    import('../../adapters/dynamodb/approvals/pending-approvals.ts'),
    import('./clients.ts'),
    import('../../contract/proposal.ts'),
    import('../../domain/raw-json.ts'),
  ]);
  const wanted = [...new Set(pids)].slice(0, MAX_TEXTS);
  const texts = await proposalTexts(await dynamo(), stateTable, wanted).catch(() => new Map<string, string>());
  const read = new Map<string, Proposal>();
  for (const [pid, text] of texts) {
    try {
      read.set(pid, schema.parse(parseJson(text)));
    } catch {
      // A proposal of another version is named by its tools.
    }
  }
  return read;
}
