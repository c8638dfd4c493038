/**
 * Checks the `taskAgent` section: mistakes are refused with their path.
 *
 * Without the section there is no such tool and no such rule.
 */
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { taskRules, taskTools } from '../../../shared/config/readers/task-agent-tools.ts';
import { TASK_TOOLS } from '../../../shared/task-agent/tools/tool-definitions.ts';
import { policyOf } from '../use-cases/world.ts';

const loaded = (taskAgent: string) => policyOf({ more: `taskAgent: ${taskAgent}` });

describe('is refused', () => {
  test.each([
    ['an agent that nobody declared', '{ enabled: true, agent: nobody }', /nobody is not declared under agents/],
    [
      'a channel that nobody declared',
      '{ enabled: true, agent: coder, channels: [lobby] }',
      /lobby is not declared under channels/,
    ],
    [
      'channels without an agent',
      '{ enabled: true, channels: [approvals] }',
      /nobody answers there: taskAgent\.agent names no agent/,
    ],
    ['an agent while it is off', '{ agent: coder }', /is not true, so that nothing of this section has an effect/],
    ['a model while it is off', '{ model: { provider: anthropic, secret: k, model: m } }', /is not true/],
    [
      'a model that may keep people waiting',
      '{ enabled: true, agent: coder, model: { provider: anthropic, secret: k, model: m, timeout: 11s } }',
      /countersign\.yaml:\d+:\d+: .*timeout: must be 1s to 10s/,
    ],
    [
      'a model without a name',
      '{ enabled: true, agent: coder, model: { provider: anthropic, secret: k, model: "" } }',
      /countersign\.yaml:\d+:\d+: taskAgent\.model\.model/,
    ],
    [
      'a key that it does not know',
      '{ enabled: true, model_name: x }',
      /unknown key model_name; allowed here: enabled/,
    ],
  ])('%s', (_name, taskAgent, message) => {
    expect(() => loaded(taskAgent)).toThrow(message);
  });
});

test('it is off by default: no tool, no rule', () => {
  const { policy } = policyOf();
  expect(policy.taskAgent).toMatchObject({ enabled: false, directMessages: true, channels: [] });
  expect([taskTools(policy), taskRules(policy)]).toEqual([[], []]);
});

test('switched on it lists the five tools with schema, class and effect; deleting asks, and what the file says of a tool wins', () => {
  const { policy } = loaded('{ enabled: true, agent: coder, channels: [approvals] }');
  expect(taskTools(policy).map(({ name }) => name)).toEqual(TASK_TOOLS.map(({ name }) => name));
  expect(taskTools(policy).every(({ argsSchema, permissions }) => argsSchema && permissions.length === 1)).toBe(true);
  expect(taskRules(policy).map(({ effect, pattern }) => `${effect} ${pattern}`)).toEqual([
    'allow add_task',
    'allow list_tasks',
    'allow update_task',
    'allow complete_task',
    'ask delete_task',
  ]);
  const own = policyOf({
    more: 'taskAgent: { enabled: true }\ntools: { delete_task: { permissions: [Sensitive], severity: high } }',
  });
  expect(compilePolicy(own).tools.lookup('delete_task')).toMatchObject({
    entry: { permissions: ['Sensitive'], severity: 'high' },
  });
});

test.each([
  ['a hook of every tool', '{ enabled: true, agent: coder }', '{ function: f }', 'cover add_task, list_tasks'],
  [
    'a hook of one of its tools',
    '{ enabled: true, agent: coder }',
    '{ function: f, tools: [add_task] }',
    'cover add_task of',
  ],
  [
    'a hook that names its agent',
    '{ enabled: true, agent: coder }',
    '{ function: f, agents: [coder] }',
    'cover add_task, list_tasks, update_task, complete_task, delete_task of the task agent, which no hook is asked about: name the tools that the hook is for, or agents without coder',
  ],
  [
    'a hook of another agent, while any may send tasks',
    '{ enabled: true }',
    '{ function: f, agents: [writer] }',
    'cover add_task',
  ],
  ['a hook of another agent', '{ enabled: true, agent: coder }', '{ function: f, agents: [writer] }', undefined],
  ['a hook of other tools', '{ enabled: true }', "{ function: f, tools: [Bash, 'mcp__*'] }", undefined],
  ['no task agent', '{ enabled: false }', '{ function: f }', undefined],
])('rules alone decide its tools: with %s', (_, taskAgent, hook, problem) => {
  const load = () => policyOf({ more: `taskAgent: ${taskAgent}\nhooks: { review: ${hook} }` });
  if (problem) expect(load).toThrow(`hooks.review.tools: ${problem}`);
  else expect(load).not.toThrow();
});
