/** Checks across sections that each name in a policy file is declared in the file. */
import { LIMITS } from '../../contract/primitives.ts';
import { type KeyKind, keyKind } from '../../domain/path-keys.ts';
import { PLACEHOLDER } from '../../domain/proposal/call-name.ts';
import { builtInTool } from '../../permissions/model/tools.ts';
import { parsePattern } from '../../permissions/rules/parse.ts';
import { hookProblems } from '../schema/hooks.ts';
import { schemaProblem } from '../schema/output-schema.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import { type PolicyProblem, undeclared } from '../schema/problems.ts';
import { webhookProblems } from '../schema/webhooks.ts';
import { guardrailProblems } from './guardrails.ts';
import { unseenProblems } from './invisible-characters.ts';
import { modelProblems } from './models.ts';
import { accountProblems } from './people.ts';
import { policyProblems } from './policies.ts';
import { protectedPathProblems } from './protected-paths.ts';
import { reservedProblems } from './reserved.ts';
import { senderProblems } from './senders.ts';
import { stageProblems } from './stages.ts';
import { targetProblems } from './targets.ts';
import { taskAgentProblems } from './task-agent.ts';
import { toolNameProblems } from './tool-names.ts';

type Path = readonly (string | number)[];

/** Every dangling name and every contradiction between two keys; empty for a sound file. */
export function checkReferences(file: PolicyFile): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const refer = (kind: 'people' | 'agents', name: string | undefined, path: Path) => {
    if (name !== undefined) problems.push(...undeclared(file, kind, name, path));
  };

  for (const [name, agent] of Object.entries(file.agents)) {
    refer('people', agent.owner, ['agents', name, 'owner']);
    for (const [index, one] of agent.requesters.entries()) refer('people', one, ['agents', name, 'requesters', index]);
    for (const [index, parent] of agent.parents.entries()) refer('agents', parent, ['agents', name, 'parents', index]);
  }
  for (const [name, operator] of Object.entries(file.operators)) {
    refer('people', operator.person, ['operators', name, 'person']);
  }
  for (const [name, tool] of Object.entries(file.tools)) {
    problems.push(...titleProblems(name, tool), ...subjectProblems(name, tool));
    const broken = tool.outputSchema && schemaProblem(tool.outputSchema);
    if (broken) problems.push({ path: ['tools', name, 'outputSchema'], message: broken });
    for (const [index, field] of (tool.comments ?? []).entries())
      if (isLookedAt(name, tool, field))
        problems.push({
          path: ['tools', name, 'comments', index],
          message: 'is a field that rules look at: it is no comment',
        });
  }
  problems.push(...hookProblems(file.hooks, file.agents), ...webhookProblems(file.webhooks));
  problems.push(...taskAgentProblems(file), ...stageProblems(file));
  problems.push(
    ...accountProblems(file),
    ...senderProblems(file),
    ...limits(file),
    ...guardrailProblems(file),
    ...targetProblems(file),
    ...modelProblems(file),
    ...policyProblems(file),
    ...protectedPathProblems(file),
    ...reservedProblems(file),
    ...toolNameProblems(file),
    ...unseenProblems(file),
  );
  return problems;
}

const FIELD = /^[\w-]+(?:\.[\w-]+)*$/;

/** A title whose field never has a value would never be used. */
function titleProblems(name: string, { title = '', argsSchema }: PolicyFile['tools'][string]): PolicyProblem[] {
  const path = ['tools', name, 'title'];
  const fields = [...title.matchAll(PLACEHOLDER)].map(([, field = '']) => field);
  const bad = fields.filter((field) => !FIELD.test(field));
  if (bad.length || /[{}]/.test(title.replaceAll(PLACEHOLDER, '')))
    return [{ path, message: 'has braces that name no field: write {amount} or {order.id}' }];
  const { properties, additionalProperties } = argsSchema ?? {};
  if (additionalProperties !== false || typeof properties !== 'object' || properties === null) return [];
  const missing = fields.find((field) => !Object.hasOwn(properties, field.split('.')[0] ?? ''));
  return missing === undefined ? [] : [{ path, message: `names {${missing}}, which argsSchema does not allow` }];
}

/** The rules of a shell tool read `command`: with another subject nobody would read what runs. */
function subjectProblems(name: string, { subject, shell }: PolicyFile['tools'][string]): PolicyProblem[] {
  if (subject === undefined || subject.includes('command') || !isShell(name, shell)) return [];
  const message = 'lacks command: of a shell tool the gate reads no command in another field';
  return [{ path: ['tools', name, 'subject'], message }];
}

const isShell = (name: string, shell: PolicyFile['tools'][string]['shell']): boolean =>
  builtInTool(name)?.shell === true || (shell !== undefined && shell !== false);

const LOOKED_AT: ReadonlySet<KeyKind> = new Set(['path', 'maybe', 'command']);

/** A model that is not shown such a field would judge another call than the rules do. */
function isLookedAt(name: string, { subject, shell }: PolicyFile['tools'][string], field: string): boolean {
  const builtIn = builtInTool(name);
  const subjects = subject ?? builtIn?.subject ?? [];
  return subjects.includes(field) || (isShell(name, shell) && field === 'command') || LOOKED_AT.has(keyKind(field));
}

function problemOfPattern(pattern: string): string | undefined {
  try {
    parsePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'is not a pattern';
  }
}

function limits(file: PolicyFile): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  if (file.approvals.timeout > LIMITS.approvalMs)
    problems.push({ path: ['approvals', 'timeout'], message: 'is longer than 30d' });
  for (const effect of ['allow', 'deny'] as const) {
    for (const [index, pattern] of (file.classifier?.[effect] ?? []).entries()) {
      const message = problemOfPattern(pattern);
      if (message !== undefined) problems.push({ path: ['classifier', effect, index], message });
    }
  }
  if (file.approvals.timeout < 1000) problems.push({ path: ['approvals', 'timeout'], message: 'must be at least 1s' });
  return problems;
}
