/** Shows the subject of a decision: the calls without their secrets, and the question. */
import type { AuditEntry, Question } from '../../../contract/index.ts';
import { parseJson } from '../../../domain/raw-json.ts';
import type { AuditRecord } from '../../../ports/stores/audit-log.ts';
import type { InputStore } from '../../../ports/stores/input-store.ts';
import { folded, plain } from '../terminal.ts';
import { shownLines } from './shown-message.ts';

/** The same entry with the text of its proposal, where it stands elsewhere and can be read. */
export async function withText(record: AuditRecord, texts: Pick<InputStore, 'get'> | undefined): Promise<AuditRecord> {
  const { proposal, proposalDigest } = record.entry;
  if (proposal !== undefined || proposalDigest === undefined) return record;
  const text = await textAt(proposalDigest, texts);
  return text === undefined ? record : { ...record, entry: { ...record.entry, proposal: text } };
}

const textAt = (digest: string, texts: Pick<InputStore, 'get'> | undefined): Promise<string | undefined> =>
  texts ? texts.get(digest, 'record').catch(() => undefined) : Promise.resolve(undefined);

/** Empty where entries hold digests only. */
export async function detailOf(
  records: readonly AuditRecord[],
  texts: Pick<InputStore, 'get'> | undefined,
  { columns, nameOf }: { readonly columns: number; readonly nameOf: (user: string) => string },
): Promise<string> {
  const lines: string[] = [];
  for (const { entry } of records) {
    const proposed = proposalLines(entry);
    if (proposed.length) lines.push('Proposed, without secrets:', ...proposed);
    const { shown, shownDigest } = entry;
    if (shown !== undefined || shownDigest !== undefined)
      lines.push(
        `Shown to ${entry.person ? nameOf(entry.person.user) : 'who answered'} (${entry.type} at ${entry.recordedAt}):`,
        ...(shown === undefined ? [elsewhere(shownDigest ?? '')] : shownLines(shown, nameOf)),
      );
    const asked = await askedLines(entry, texts);
    if (asked.length) lines.push('Asked of people:', ...asked);
  }
  return lines.length ? `\n${folded(`${lines.map(plain).join('\n')}\n`, columns)}` : '';
}

const elsewhere = (digest: string): string => `  the text stands under ${digest}: countersign audit text ${digest}`;

function proposalLines({ proposal, proposalDigest }: AuditEntry): string[] {
  if (proposal === undefined) return proposalDigest === undefined ? [] : [elsewhere(proposalDigest)];
  const { calls, ...rest } = parseJson(proposal) as {
    readonly calls?: readonly { readonly id: string; readonly toolName: string; readonly input: unknown }[];
  };
  const own = Object.entries(rest).flatMap(([field, value]) =>
    field === 'kind' ? [] : [`  ${field} ${JSON.stringify(value)}`],
  );
  const each = (calls ?? []).map(
    ({ id, toolName, input, ...more }) =>
      `  ${id} ${toolName} ${JSON.stringify(input)}${Object.keys(more).length ? ` ${JSON.stringify(more)}` : ''}`,
  );
  return [...each, ...own];
}

async function askedLines(
  { asked, askedDigest }: AuditEntry,
  texts: Pick<InputStore, 'get'> | undefined,
): Promise<string[]> {
  if (asked !== undefined) return questionLines(asked);
  if (askedDigest === undefined) return [];
  const text = await textAt(askedDigest, texts);
  return text === undefined ? [elsewhere(askedDigest)] : questionLines(text);
}

function questionLines(text: string): string[] {
  const question = parseJson(text) as Question;
  const stages = question.stages.map(({ group, quorum, channel }) => `${group} ×${quorum} in ${channel}`);
  const calls =
    question.kind === 'calls' ? question.calls.map(({ id, toolName, why }) => `  ${id} ${toolName}: ${why}`) : [];
  return [`  ${stages.join(', then ')}; severity ${question.severity}; may ${question.offers.join(', ')}`, ...calls];
}
