/** Finds groups, stages and delegations that ask nobody, too few, or people who cannot answer. */
import type * as z from 'zod';
import type { Severity } from '../../contract/primitives.ts';
import { fillable } from '../../domain/approval/quorum.ts';
import { isHighSeverity } from '../../domain/severity.ts';
import { schemaCompiler } from '../schema/compile-schema.ts';
import { REQUESTER } from '../schema/defaults.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import { type PolicyProblem, undeclared } from '../schema/problems.ts';
import type { delegation, StageSetting } from '../schema/stages.ts';

type Path = readonly (string | number)[];

const compileStrict = schemaCompiler({ allErrors: true, strict: true, allowUnionTypes: true });

/** Finds stages that nobody can answer, or that contradict themselves. */
export function stageProblems(file: PolicyFile): PolicyProblem[] {
  return [
    ...Object.entries(file.approvers).flatMap(([key, one]) => groupProblems(key, one, file)),
    ...approverSettings(file).flatMap((one) => approverSettingProblems(one, file)),
    ...timeoutProblems(file),
    ...file.delegations.flatMap((one, index) => delegationProblems(one, ['delegations', index], file)),
    ...schemaProblemsOf(file),
  ];
}

interface ApproverSetting {
  readonly path: Path;
  readonly approvers?: string | undefined;
  readonly stages?: readonly StageSetting[] | undefined;
  readonly severity?: Severity | undefined;
  readonly isTool: boolean;
}

function approverSettings(file: PolicyFile): ApproverSetting[] {
  const rules = (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    file.rules[effect].flatMap((rule, index) =>
      typeof rule === 'string' ? [] : [{ path: ['rules', effect, index], ...rule, isTool: false }],
    ),
  );
  const tools = Object.entries(file.tools).map(([key, tool]) => ({ path: ['tools', key], ...tool, isTool: true }));
  const agents = Object.entries(file.agents).map(([key, one]) => ({ path: ['agents', key], ...one, isTool: false }));
  return [...rules, ...tools, ...agents, { path: ['approvals'], ...file.approvals, isTool: false }];
}

function approverSettingProblems(
  { path, approvers, stages, severity, isTool }: ApproverSetting,
  file: PolicyFile,
): PolicyProblem[] {
  if (approvers !== undefined && stages)
    return [{ path: [...path, 'stages'], message: 'name either approvers or stages, not both' }];
  const problems = approvers === undefined ? [] : undeclared(file, 'approvers', approvers, [...path, 'approvers']);
  for (const [index, one] of (stages ?? []).entries())
    problems.push(...stageProblem(one, [...path, 'stages', index], { isTool, severity }, file));
  if (problems.length || !stages || stages.some(({ by }) => by === 'requester')) return problems;
  const seats = stages.map((one) => ({ quorum: one.quorum, members: membersOf(one.group, file) }));
  if (!fillable(seats))
    problems.push({
      path: [...path, 'stages'],
      message: 'cannot all be answered: one person votes once in an approval',
    });
  return problems;
}

const membersOf = (key: string | undefined, file: PolicyFile): readonly string[] | undefined =>
  key === undefined ? [] : file.approvers[key]?.members;

function stageProblem(
  one: StageSetting,
  path: Path,
  about: Pick<ApproverSetting, 'isTool' | 'severity'>,
  file: PolicyFile,
): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const refuse = (key: string, message: string) => problems.push({ path: [...path, key], message });
  const longest = Math.max(one.timeout ?? 0, one.remind ?? 0);
  if (longest > file.approvals.timeout)
    refuse(one.timeout === longest ? 'timeout' : 'remind', 'is longer than approvals.timeout, which ends every wait');
  if (one.by === 'requester') {
    if (!about.isTool) refuse('by', 'a confirmation by the requester is for tools so marked only');
    if (isHighSeverity(about.severity))
      refuse('by', `a tool of ${about.severity} severity needs other people than the requester`);
    if (one.quorum > 1) refuse('quorum', 'there is one requester');
    if (one.group !== undefined) refuse('group', 'a stage of the requester has no group');
    if (one.escalateTo !== undefined) refuse('escalateTo', 'a stage of the requester escalates to nobody');
    return problems;
  }
  if (one.group === undefined) return [...problems, { path, message: 'names no group' }];
  problems.push(...undeclared(file, 'approvers', one.group, [...path, 'group']));
  if (one.escalateTo !== undefined) {
    problems.push(...undeclared(file, 'approvers', one.escalateTo, [...path, 'escalateTo']));
    if (one.escalateTo === one.group) refuse('escalateTo', 'is the group of the stage itself');
    if (one.timeout === undefined) refuse('escalateTo', 'needs a timeout to escalate after');
  }
  const members = membersOf(one.group, file);
  if (members && one.quorum > members.length)
    refuse('quorum', `${one.quorum} of ${one.group} have to approve, and it has ${members.length}`);
  return problems;
}

function groupProblems(key: string, one: PolicyFile['approvers'][string], file: PolicyFile): PolicyProblem[] {
  const path = ['approvers', key];
  const problems = undeclared(file, 'channels', one.channel, [...path, 'channel']);
  if (key === REQUESTER) problems.push({ path, message: 'is the name of whoever asks; call the group otherwise' });
  if ((one.members === undefined) === (one.userGroup === undefined))
    problems.push({ path, message: 'has either members or a userGroup' });
  for (const [index, member] of (one.members ?? []).entries())
    problems.push(...undeclared(file, 'people', member, [...path, 'members', index]));
  if (new Set(one.members).size < (one.members?.length ?? 0))
    problems.push({ path: [...path, 'members'], message: 'names a person twice' });
  return problems;
}

/** A time-out never approves a call of high severity (D32). */
function timeoutProblems(file: PolicyFile): PolicyProblem[] {
  return Object.entries(file.tools).flatMap(([key, tool]) => {
    if (!isHighSeverity(tool.severity) || (tool.timeoutBehavior ?? file.approvals.timeoutBehavior) !== 'Approve')
      return [];
    const path = tool.timeoutBehavior ? ['tools', key, 'timeoutBehavior'] : ['approvals', 'timeoutBehavior'];
    return [{ path, message: `Approve would let ${key}, of ${tool.severity} severity, run without anybody` }];
  });
}

function delegationProblems(one: z.infer<typeof delegation>, path: Path, file: PolicyFile): PolicyProblem[] {
  const problems = undeclared(file, 'people', one.to, [...path, 'to']);
  if ((one.person === undefined) === (one.group === undefined))
    return [...problems, { path, message: 'delegates the place of either a person or a group' }];
  if (one.person !== undefined) problems.push(...undeclared(file, 'people', one.person, [...path, 'person']));
  if (one.group !== undefined) problems.push(...undeclared(file, 'approvers', one.group, [...path, 'group']));
  if (one.person === one.to) problems.push({ path: [...path, 'to'], message: 'is the person itself' });
  if (one.from !== undefined && Date.parse(one.from) >= Date.parse(one.until))
    problems.push({ path: [...path, 'until'], message: 'is not after from' });
  return problems;
}

/** A schema that cannot be read would let every edit pass, or none. */
function schemaProblemsOf(file: PolicyFile): PolicyProblem[] {
  return Object.entries(file.tools).flatMap(([key, { argsSchema }]) => {
    if (!argsSchema) return [];
    try {
      compileStrict(argsSchema);
      return [];
    } catch (error) {
      const why = error instanceof Error ? error.message : 'is no JSON Schema';
      return [{ path: ['tools', key, 'argsSchema'], message: `is not a usable JSON Schema: ${why}` }];
    }
  });
}
