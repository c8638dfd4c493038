/** Reads the `cache` of a case as remembered answers: grants and refusals, as facts of the session. */
import { denialKey } from '../../../shared/permissions/classifiers/denial-tracker.ts';
import type { Grant, GrantBinding } from '../../../shared/permissions/index.ts';
import type { GrantFact, RefusalFact } from '../../../shared/permissions/model/types.ts';
import { argsDigest, grantCovers } from '../../../shared/permissions/service/grants.ts';
import { type Fields, isFields, listOf } from '../fields.ts';
import { whole } from '../reading.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';

/** D11. */
const REFUSAL_SECONDS = 300;
const KNOWN = new Set([
  'toolName',
  'input',
  'tenantId',
  'sessionId',
  'agentId',
  'decision',
  'scope',
  'approvedAt',
  'expiresAt',
  'ttlSec',
  'policyVersion',
  'cwd',
  'mode',
  'env',
  'operandHashes',
  'digests',
  'ruleDigest',
  'toolDigest',
  'stagesDigest',
  'approvedBy',
  'consumed',
  'args_hash',
  'argsHash',
]);

/** The types of a stored grant's fields. A row of which one is wrong does not parse, and answers nothing. */
const TYPES: Readonly<Record<string, 'string' | 'number' | 'boolean'>> = {
  ...Object.fromEntries(
    [
      'toolName',
      'tenantId',
      'sessionId',
      'agentId',
      'decision',
      'scope',
      'policyVersion',
      'cwd',
      'mode',
      'approvedBy',
    ].map((name) => [name, 'string' as const]),
  ),
  approvedAt: 'number',
  expiresAt: 'number',
  ttlSec: 'number',
  consumed: 'boolean',
};

/** A row without one of the fields that bind it does not parse either. */
const BOUND = ['toolName', 'tenantId', 'sessionId', 'agentId', 'policyVersion', 'cwd', 'mode', 'scope', 'approvedAt'];

const parses = (entry: unknown): entry is Fields =>
  isFields(entry) &&
  BOUND.every((name) => entry[name] !== undefined) &&
  Object.entries(TYPES).every(([name, type]) => entry[name] === undefined || typeof entry[name] === type);

function text(value: unknown, otherwise: string): string {
  return value === undefined ? otherwise : String(value);
}

function digestsOf(fields: Fields): GrantBinding['digests'] {
  const stated = isFields(fields['digests']) ? fields['digests'] : {};
  const [rule, tool, stages] = ['rule', 'tool', 'stages'].map((name) => stated[name] ?? fields[`${name}Digest`]);
  return typeof rule === 'string' && typeof tool === 'string' && typeof stages === 'string'
    ? { rule, tool, stages }
    : undefined;
}

function bindingOf(fields: Fields, given: Fields): GrantBinding {
  return {
    tenant: text(fields['tenantId'], ''),
    session: text(fields['sessionId'], ''),
    agent: text(fields['agentId'], ''),
    cwd: text(fields['cwd'], text(given['cwd'], '')),
    mode: text(fields['mode'], text(given['mode'], '')),
    policyVersion: text(fields['policyVersion'], ''),
    digests: digestsOf(fields),
    env: whole(fields['env']),
    operandHashes: whole(fields['operandHashes']),
  };
}

function scopeOf(value: unknown): Grant['scope'] | 'once' | 'unknown' {
  const plain = String(value).toLowerCase().replaceAll('-', '').replaceAll('_', '');
  if (plain === 'session' || plain === 'exact') return 'session';
  if (plain === 'once') return 'once';
  if (plain === 'sessionalltools' || plain === 'tool' || plain === 'sessiontool') return 'session-all-tools';
  // A stored row with a scope that nobody knows does not parse, and answers nothing.
  return 'unknown';
}

/** The pinned definition of the tool binds a grant where only one of the two states it. */
const DEFINITIONS = ['toolDefHash', 'toolDefinition'];

/** Other fields of a row bind it where the call has them, too. One that the call does not have is a word that nobody reads. */
function checkNames(entry: Fields, given: Fields): void {
  const known = (key: string) => KNOWN.has(key) || DEFINITIONS.includes(key) || Object.hasOwn(given, key);
  const strange = Object.keys(entry).filter((key) => !known(key));
  if (strange.length) throw new Uninterpretable(`cache: ${strange.join(', ')}`);
}

/** Other fields that a grant states are part of its binding too, such as a tool's definition. */
function othersEqual(entry: Fields, given: Fields): boolean {
  return [...Object.keys(entry).filter((key) => !KNOWN.has(key)), 'toolDefHash'].every(
    (key) => argsDigest(entry[key] ?? null) === argsDigest(whole(given[key]) ?? null),
  );
}

/** A person's refusal holds for the agent, whatever its session, mode and policy are meanwhile (D55). */
const refusalAnswers = (
  refusal: Grant & { readonly input: unknown },
  call: GrantBinding,
  toolName: string,
  input: unknown,
  now: number,
): boolean =>
  [call.tenant, call.agent, call.session].every((id) => id !== '') &&
  refusal.tenant === call.tenant &&
  refusal.agent === call.agent &&
  refusal.cwd === call.cwd &&
  denialKey(refusal.toolName, refusal.input) === denialKey(toolName, input) &&
  refusal.approvedAt <= now &&
  now < refusal.expiresAt;

/** Grant and refusal that answer the call; times are seconds. */
export function remembered(
  given: Fields,
  toolName: string,
  input: unknown,
): { grant?: GrantFact; refusal?: RefusalFact } {
  const now = Number(given['now'] ?? 0);
  const call = bindingOf(given, given);
  // Read whether or not a stored row comes so far.
  for (const name of DEFINITIONS) whole(given[name]);
  const facts: { grant?: GrantFact; refusal?: RefusalFact } = {};
  for (const item of listOf(given['cache'])) {
    const entry: unknown = whole(item);
    if (isFields(entry)) checkNames(entry, given);
    if (!parses(entry)) continue;
    const scope = scopeOf(entry['scope']);
    const approvedAt = Number(entry['approvedAt']);
    const refused = entry['decision'] !== 'approved';
    const isWhole = scope === 'session-all-tools' && !refused;
    const digest = isWhole ? null : entry['input'] === undefined ? undefined : argsDigest(entry['input']);
    const ttl = Number(entry['ttlSec'] ?? Number.NaN);
    const expiresAt =
      entry['expiresAt'] !== undefined
        ? Number(entry['expiresAt'])
        : approvedAt + (refused ? Math.min(ttl, REFUSAL_SECONDS) : ttl);
    if (
      digest === undefined ||
      scope === 'once' ||
      scope === 'unknown' ||
      entry['consumed'] === true ||
      !othersEqual(entry, given)
    )
      continue;
    const grant: Grant = {
      ...bindingOf(entry, given),
      toolName: text(entry['toolName'], ''),
      argsDigest: digest,
      scope: digest === null ? 'session-all-tools' : 'session',
      approvedAt,
      expiresAt,
    };
    if (refused) {
      if (refusalAnswers({ ...grant, input: entry['input'] }, call, toolName, input, now))
        facts.refusal = { reason: 'refused before' };
    } else if (grantCovers(grant, call, toolName, input, now)) facts.grant = { scope: grant.scope };
  }
  return facts;
}
