/** Checks the approval workflow's definition: its logs, its alarms, and a time-out for each state. */
import { describe, expect, inject, test } from 'vitest';
import { lintDefinition } from '../../cdk/constructs/workflow/lint-definition.ts';
import { definition } from '../../cdk/constructs/workflow/workflow-definition.ts';
import { all, one, type TemplateJson } from './support/template.ts';

const template = JSON.parse(inject('production')) as TemplateJson;
const machine = one<{ DefinitionString: unknown }>(
  template,
  'AWS::StepFunctions::StateMachine',
  'GateWorkflowStateMachine',
);
const asDeployed = JSON.parse(flat(machine.properties.DefinitionString)) as Definition;

interface Definition {
  readonly QueryLanguage: string;
  readonly StartAt: string;
  readonly States: Readonly<Record<string, Record<string, unknown>>>;
}

/** The text of a `Fn::Join` with its references as their names. */
function flat(text: unknown): string {
  const [, parts] = (text as { 'Fn::Join': [string, unknown[]] })['Fn::Join'];
  const named = (part: unknown) => (part as { Ref?: string }).Ref ?? 'arn:of-something';
  return parts.map((part) => (typeof part === 'string' ? part : named(part))).join('');
}

describe('the approval workflow', () => {
  test('is a standard one in JSONata', () => {
    expect(machine.properties).toMatchObject({
      StateMachineType: 'STANDARD',
      TracingConfiguration: { Enabled: false },
    });
    expect(asDeployed.QueryLanguage).toBe('JSONata');
  });

  test('G24 logs what fails, and neither scheduled tasks nor execution data, which would hold the task token', () => {
    expect(machine.properties).toMatchObject({ LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false } });
  });

  test('takes one state for one human answer, which is billed as one transition', () => {
    const states: string[] = [];
    for (let name: string | undefined = asDeployed.StartAt; name; name = asDeployed.States[name]?.['Next'] as string) {
      states.push(name);
    }
    expect(states).toEqual(['RequestApproval']);
    expect(asDeployed.States['RequestApproval']?.['End']).toBe(true);
  });

  test('A7 waits until a little after expiresAt, and comes back when it is still waiting', () => {
    const { RequestApproval, Resume } = asDeployed.States;
    // Step Functions refuses to call what is named in another partition than its own, such as that of China.
    expect(RequestApproval?.['Resource']).toBe('arn:AWS::Partition:states:::lambda:invoke.waitForTaskToken');
    expect(Resume?.['Resource']).toBe('arn:AWS::Partition:states:::lambda:invoke');
    expect(RequestApproval?.['TimeoutSeconds']).toContain('$states.input.expiresAt');
    expect(RequestApproval?.['Catch']).toEqual([
      expect.objectContaining({
        ErrorEquals: ['AlreadyDecided', 'States.Timeout', 'States.QueryEvaluationError'],
        Next: 'Resume',
      }),
    ]);
    expect(Resume?.['Catch']).toEqual([
      expect.objectContaining({ ErrorEquals: ['StillWaiting'], Next: 'RequestApproval' }),
    ]);
  });

  test('A8 an execution that fails, is aborted, throttled or runs out of time raises an alarm', () => {
    const metrics = all<{ MetricName?: string; Namespace?: string }>(template, 'AWS::CloudWatch::Alarm')
      .filter(({ properties }) => properties.Namespace === 'AWS/States')
      .map(({ properties }) => properties.MetricName);
    expect(metrics.sort()).toEqual([
      'ExecutionThrottled',
      'ExecutionsAborted',
      'ExecutionsFailed',
      'ExecutionsTimedOut',
    ]);
  });
});

describe('G41 no state waits for ever (T-012)', () => {
  const task = { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken', End: true };
  const machineOf = (...states: Record<string, unknown>[]) => ({
    StartAt: 'S0',
    States: Object.fromEntries(states.map((state, index) => [`S${index}`, state])),
  });

  test('the definition passes, as built and as deployed', () => {
    expect(lintDefinition(definition('arn:a', 'arn:b', 60, 'aws'))).toEqual([]);
    expect(lintDefinition(asDeployed as unknown as Record<string, unknown>)).toEqual([]);
  });

  test.each(Object.keys(asDeployed.States))('without the time-out of %s it does not', (name) => {
    const { TimeoutSeconds: _gone, ...state } = asDeployed.States[name] ?? {};
    const broken = { ...asDeployed, States: { ...asDeployed.States, [name]: state } };
    expect(lintDefinition(broken)).toEqual([`${name}: a task without a time-out may wait for ever`]);
  });

  test.each([null, undefined, 0, -1, 1.5, '60', '{% %}', {}])('%j is no time-out', (TimeoutSeconds) => {
    expect(lintDefinition(machineOf({ ...task, TimeoutSeconds }))).toHaveLength(1);
  });

  test.each([{ TimeoutSeconds: 60 }, { TimeoutSeconds: '{% $left %}' }, { TimeoutSecondsPath: '$.left' }])(
    '%j is one',
    (timeout) => {
      expect(lintDefinition(machineOf({ ...task, ...timeout }))).toEqual([]);
    },
  );

  test('tasks inside branches and maps are looked at', () => {
    const inner = machineOf(task);
    const found = lintDefinition(
      machineOf({ Type: 'Parallel', Branches: [inner] }, { Type: 'Map', ItemProcessor: inner }),
    );
    expect(found).toEqual([
      'S0/S0: a task without a time-out may wait for ever',
      'S1/S0: a task without a time-out may wait for ever',
    ]);
  });

  test('G24 a state that hands the token on is refused', () => {
    const token = '{% $states.context.Task.Token %}';
    expect(lintDefinition(machineOf({ ...task, TimeoutSeconds: 1, Output: { token } }))).toHaveLength(1);
    const caught = { ErrorEquals: ['States.ALL'], Assign: { token }, Next: 'S0' };
    expect(lintDefinition(machineOf({ ...task, TimeoutSeconds: 1, Catch: [caught] }))).toHaveLength(1);
  });

  test('an empty definition is refused', () => {
    expect(lintDefinition({})).toEqual(['the definition has no states']);
  });
});
