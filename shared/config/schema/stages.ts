/** Who is asked, how many of them have to agree, and what time does: groups, stages and delegations of the policy file (D31, D32, D34, D36). */
import { Ajv } from 'ajv';
import * as z from 'zod';
import { instant, type Severity } from '../../contract/primitives.ts';
import { fillable } from '../../domain/quorum.ts';
import { tooManyToCarry, WAITING } from '../../domain/waiting-limits.ts';
import { REQUESTER } from '../defaults.ts';
import { type PolicyProblem, undeclared } from '../problems.ts';
import type { PolicyFile } from './policy-file.ts';
import { duration, name, section, slackId } from './words.ts';

export const group = section({
  members: z.array(name).min(1, 'names nobody').optional().describe('People of this file.'),
  userGroup: slackId
    .optional()
    .describe('A Slack user group instead of members. Whoever may edit it in Slack decides who approves.'),
  channel: name.describe('Where their cards are posted, of channels.'),
  maxWaiting: z
    .int()
    .min(1)
    .max(WAITING.group.most, tooManyToCarry('group'))
    .optional()
    .describe(`So many questions may wait at once for this group to answer first. Default: ${WAITING.group.usual}.`),
});

const stage = section({
  group: name.optional().describe('Who is asked, of approvers.'),
  by: z
    .enum(['group', 'requester'])
    .default('group')
    .describe(
      '`requester`: the person in whose name it is asked confirms it; only for a tool of low or medium severity.',
    ),
  quorum: z.int().min(1).max(20).default(1).describe('So many different people have to approve.'),
  timeout: duration.optional().describe('Then it escalates, or the wait ends.'),
  remind: duration.optional().describe('How often its channel is reminded.'),
  escalateTo: name.optional().describe('The group that may vote as well after the time-out.'),
  reject: z
    .enum(['ends', 'counts'])
    .default('ends')
    .describe('`counts`: a rejection ends it only when the quorum cannot be reached any more.'),
});
export type StageSetting = z.infer<typeof stage>;

/** Of a rule, a tool, an agent or the deployment: one of the two, or nothing. */
export const asks = {
  approvers: name.optional().describe('The group that is asked; one of them is enough.'),
  stages: z.array(stage).min(1, 'holds no stage').max(10).optional().describe('Instead of approvers: in this order.'),
};

export const timeoutBehavior = z
  .enum(['Reject', 'Approve'])
  .optional()
  .describe(
    '`Approve`: no answer in time lets it run. Refused for a tool of high severity (D32). Default: it expires.',
  );

/** Somebody votes in the place of another person, or of a group as one more of it, until a date. */
const delegation = section({
  person: name.optional().describe('Whose place is taken: a person, or a group.'),
  group: name.optional().describe('The group that has one more member.'),
  to: name.describe('Who votes.'),
  from: instant.optional().describe('Default: at once.'),
  until: instant.describe('When it ends.'),
});
export const delegations = z
  .array(delegation)
  .max(200)
  .default([])
  .describe('Who votes in the place of somebody who is away.');

const isHigh = (severity: Severity | undefined): boolean => severity === 'high' || severity === 'critical';
type Path = readonly (string | number)[];

/** What cannot be answered, or contradicts itself. */
export function stageProblems(file: PolicyFile): PolicyProblem[] {
  return [
    ...Object.entries(file.approvers).flatMap(([key, one]) => groupProblems(key, one, file)),
    ...askers(file).flatMap((asker) => askerProblems(asker, file)),
    ...timeoutProblems(file),
    ...file.delegations.flatMap((one, index) => delegationProblems(one, ['delegations', index], file)),
    ...schemaProblemsOf(file),
  ];
}

interface Asker {
  readonly path: Path;
  readonly approvers?: string | undefined;
  readonly stages?: readonly StageSetting[] | undefined;
  readonly severity?: Severity | undefined;
  readonly isTool: boolean;
}

function askers(file: PolicyFile): Asker[] {
  const rules = (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    file.rules[effect].flatMap((rule, index) =>
      typeof rule === 'string' ? [] : [{ path: ['rules', effect, index], ...rule, isTool: false }],
    ),
  );
  const tools = Object.entries(file.tools).map(([key, tool]) => ({ path: ['tools', key], ...tool, isTool: true }));
  const agents = Object.entries(file.agents).map(([key, agent]) => ({
    path: ['agents', key],
    ...agent,
    isTool: false,
  }));
  return [...rules, ...tools, ...agents, { path: ['approvals'], ...file.approvals, isTool: false }];
}

function askerProblems({ path, approvers, stages, severity, isTool }: Asker, file: PolicyFile): PolicyProblem[] {
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
  about: Pick<Asker, 'isTool' | 'severity'>,
  file: PolicyFile,
): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const say = (key: string, message: string) => problems.push({ path: [...path, key], message });
  if (one.by === 'requester') {
    if (!about.isTool) say('by', 'a confirmation by the requester is for tools so marked only');
    if (isHigh(about.severity)) say('by', `a tool of ${about.severity} severity needs other people than the requester`);
    if (one.quorum > 1) say('quorum', 'there is one requester');
    if (one.group !== undefined) say('group', 'a stage of the requester has no group');
    if (one.escalateTo !== undefined) say('escalateTo', 'a stage of the requester escalates to nobody');
    return problems;
  }
  if (one.group === undefined) return [{ path, message: 'names no group' }];
  problems.push(...undeclared(file, 'approvers', one.group, [...path, 'group']));
  if (one.escalateTo !== undefined) {
    problems.push(...undeclared(file, 'approvers', one.escalateTo, [...path, 'escalateTo']));
    if (one.escalateTo === one.group) say('escalateTo', 'is the group of the stage itself');
    if (one.timeout === undefined) say('escalateTo', 'needs a timeout to escalate after');
  }
  const members = membersOf(one.group, file);
  if (members && one.quorum > members.length)
    say('quorum', `${one.quorum} of ${one.group} have to approve, and it has ${members.length}`);
  const longest = Math.max(one.timeout ?? 0, one.remind ?? 0);
  if (longest > file.approvals.timeout)
    say(one.timeout === longest ? 'timeout' : 'remind', 'is longer than approvals.timeout, which ends every wait');
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

/** D32. */
function timeoutProblems(file: PolicyFile): PolicyProblem[] {
  return Object.entries(file.tools).flatMap(([key, tool]) => {
    if (!isHigh(tool.severity) || (tool.timeoutBehavior ?? file.approvals.timeoutBehavior) !== 'Approve') return [];
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
      new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(argsSchema);
      return [];
    } catch (error) {
      const why = error instanceof Error ? error.message : 'is no JSON Schema';
      return [{ path: ['tools', key, 'argsSchema'], message: `is not a usable JSON Schema: ${why}` }];
    }
  });
}
