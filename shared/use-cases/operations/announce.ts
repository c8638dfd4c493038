/** Announces an operation: always in the record, and in the channels if it changed something. */
import type { AuditEntry, Person } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { identifier } from '../../contract/primitives.ts';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { ownValue } from '../../domain/own.ts';
import type { ReadJson } from '../../domain/raw-json.ts';
import { OPERATIONS, pidOfOperation } from '../../domain/record/operation-id.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import { recordOf, type Subject } from '../audit/audit-entry.ts';
import { holdsSecret } from '../audit/shown-subject.ts';
import { DEAD_LETTER } from '../intake/dead-letter.ts';
import type { OperatorDependencies, OperatorMessage } from './dependencies.ts';
import { textOf, withPeople } from './operation-text.ts';
import type { OperationResult } from './refusal.ts';

type AboutOperation = NonNullable<AuditEntry['operation']>;

export interface NotedOperation extends OperationResult {
  readonly detail: string;
  readonly operation: AboutOperation;
  /** The person who asked for it in Slack. */
  readonly person?: Person;
}

/** Returns the operation as the record keeps it, with people by their ids. Arguments and reason are recorded elsewhere; people type secrets into the other fields, too. */
export async function aboutOperation(
  asked: Operation,
  { redactor, policy }: Pick<OperatorDependencies, 'redactor' | 'policy'>,
): Promise<AboutOperation & { readonly about: string }> {
  const wanted = withPeople(asked, (key) => ownValue(policy.settings.people, key)?.user ?? key);
  const { operationId, kind } = wanted;
  const scope = wanted.kind === 'pause' && !('all' in wanted.scope) ? wanted.scope : {};
  const named: Readonly<Record<string, unknown>> = { ...wanted, ...scope };
  const fields = await Promise.all(
    SUBJECTS.map(async (field) => {
      const value = ownValue(named, field);
      return typeof value === 'string' && !(await holdsSecret(value, redactor)) ? [[field, value] as const] : [];
    }),
  );
  return {
    operationId,
    kind,
    about: cutMarked(await redactor.text(textOf(wanted)), 1000),
    ...(Object.fromEntries(fields.flat()) as Pick<AboutOperation, (typeof SUBJECTS)[number]>),
  };
}

const SUBJECTS = ['agent', 'session', 'tool', 'proposalId', 'person', 'to', 'from', 'until', 'queue'] as const;

/** The id that a message gives, if one can be read: its sender looks for the result under it. */
export function statedOperation(json: ReadJson): AboutOperation {
  const value = json.ok && typeof json.value === 'object' && json.value !== null ? json.value : {};
  const read = identifier.safeParse(
    Object.hasOwn(value, 'operationId') ? Reflect.get(value, 'operationId') : undefined,
  );
  return read.success ? { operationId: read.data } : {};
}

export async function note(
  { messageId }: OperatorMessage,
  by: string,
  { code, accepted, problem, redriven, forgotten, detail, person, operation }: NotedOperation,
  deps: OperatorDependencies,
): Promise<void> {
  const { operationId, ...named } = operation;
  const pid = pidOfOperation(operationId ?? messageId);
  const isHidden = operationId !== undefined && (await holdsSecret(operationId, deps.redactor));
  const subject: Subject = { agent: OPERATIONS, pid, proposalId: null };
  // Two messages of one operation have an entry each: nothing that was done is hidden by an id that was used before. Nor is it by an earlier
  // refusal of the same message, which comes again after a crash, and may be done then.
  const refused = accepted || code === DEAD_LETTER ? '' : '#refused';
  await deps.audit.put(
    recordOf(deps, subject, `operation#${messageId}${refused}`, {
      type: 'operation',
      reasonCode: code,
      accepted,
      decidedBy: { type: 'human', id: by },
      ...(person ? { person } : {}),
      ...(detail ? { detail: cutMarked(detail, 1000) } : {}),
      operation: {
        ...named,
        ...(operationId === undefined || isHidden ? {} : { operationId }),
        ...redriven,
        ...leftOf(forgotten),
        ...(problem ? { problem: cutMarked(problem, 1000) } : {}),
      },
    }),
  );
}

/** The alias is the operation's person. */
function leftOf(forgotten: OperationResult['forgotten']) {
  if (!forgotten) return {};
  const { alias: _, ...left } = forgotten;
  return left;
}

/**
 * Names an operation for its announcement, which is sent once: another operation under the same id has another name, so that none is done behind
 * the announcement of an earlier one.
 */
export const announcedAs = (operator: string, wanted: Operation): string =>
  `${operator}#${wanted.operationId}#${sha256Hex(canonicalJson(wanted)).slice(0, 16)}`;

/** Loud on purpose: everybody who approves reads what was done around them. `id` names the operation. */
export async function announce(text: string, id: string, deps: OperatorDependencies): Promise<void> {
  const channels = new Set(Object.values(deps.policy.settings.channels).map(({ id: channel }) => channel));
  for (const channel of channels) await deps.cards.announce(channel, text, `${channel}#${id}`);
}
