/**
 * Lists the questions to each endpoint beside AWS's documented answers.
 *
 * The rows are those of the recorded table.
 */
import {
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { makeMachine } from '../endpoint/testing/fixtures.ts';
import { LOG_OBSERVATIONS } from './log-observations.ts';
import type { Observation } from './observation.ts';
import { QUEUE_OBSERVATIONS } from './queue-observations.ts';
import { answerOf, type World } from './world.ts';

const API = 'step-functions/latest/apireference';
const GUIDE = 'step-functions/latest/dg';
/** A task that has not ended by then waits on. */
const WAITS_ON_MS = 45_000;

const answer = ({ root }: World, taskToken: string, output = 'late') =>
  answerOf(root.sfn.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) })));

const TOKEN_OBSERVATIONS: readonly Observation[] = [
  {
    operation: 'SendTaskSuccess a second time, while the execution runs',
    aws: 'TaskTimedOut; the first counts',
    document: `${API}/API_SendTaskSuccess.html`,
    look: async (world) => {
      const { token, ended } = await world.ask();
      const [, second] = [await answer(world, token, 'first'), await answer(world, token, 'second')];
      return `${second}; the ${await ended()} counts`;
    },
  },
  {
    operation: 'SendTaskSuccess after the execution ended',
    aws: 'TaskTimedOut',
    document: `${API}/API_SendTaskSuccess.html`,
    look: async (world) => {
      const { token, ended } = await world.ask();
      await answer(world, token);
      await ended();
      return answer(world, token);
    },
  },
  {
    operation: 'SendTaskSuccess after the time-out of the task',
    aws: 'TaskTimedOut',
    document: `${API}/API_SendTaskSuccess.html`,
    look: async (world) => {
      const { token, ended } = await world.ask({ TimeoutSeconds: '{% 5 + 0 %}' });
      await ended();
      return answer(world, token);
    },
  },
  {
    operation: 'SendTaskHeartbeat after StopExecution',
    aws: 'TaskTimedOut',
    document: `${API}/API_SendTaskHeartbeat.html`,
    look: async (world) => {
      const { token, executionArn, ended } = await world.ask();
      await world.root.sfn.send(new StopExecutionCommand({ executionArn }));
      await ended();
      return answerOf(world.root.sfn.send(new SendTaskHeartbeatCommand({ taskToken: token })));
    },
  },
  {
    operation: 'SendTaskSuccess with a token that was never given',
    aws: 'InvalidToken',
    document: `${API}/API_SendTaskSuccess.html`,
    look: (world) => answer(world, 'x'.repeat(200)),
  },
  {
    operation: 'length of a task token',
    aws: 'up to 2,048 characters, more than a Slack button or an 8-bit length holds',
    document: `${API}/API_SendTaskSuccess.html`,
    look: async (world) => {
      const { token } = await world.ask();
      return token.length > 255 ? 'more than 255' : String(token.length);
    },
  },
];

const STATE_OBSERVATIONS: readonly Observation[] = [
  {
    operation: 'TimeoutSeconds of a request, in JSONata',
    aws: 'States.Timeout when it is over',
    document: `${GUIDE}/state-task.html`,
    look: async (world) =>
      (await world.ask({ TimeoutSeconds: '{% $states.input.seconds %}' }, { seconds: 5 })).ended(WAITS_ON_MS),
  },
  {
    operation: 'a heartbeat that is missed',
    aws: 'States.HeartbeatTimeout',
    document: `${GUIDE}/concepts-error-handling.html`,
    look: async (world) => (await world.ask({ HeartbeatSeconds: 5, TimeoutSeconds: 60 })).ended(WAITS_ON_MS),
  },
  {
    operation: 'the function behind waitForTaskToken throws NotToday',
    aws: 'the task fails with NotToday',
    document: `${GUIDE}/connect-lambda.html`,
    look: async (world) => (await world.ask({}, { fail: 'NotToday' })).ended(WAITS_ON_MS),
  },
  {
    operation: 'StartExecution with a name of 81 characters',
    aws: 'InvalidName',
    document: `${API}/API_StartExecution.html`,
    look: async ({ root }) => {
      const machine = await makeMachine(root, { StartAt: 'Done', States: { Done: { Type: 'Succeed' } } });
      return answerOf(root.sfn.send(new StartExecutionCommand({ stateMachineArn: machine, name: 'a'.repeat(81) })));
    },
  },
];

export const OBSERVATIONS: readonly Observation[] = [
  ...TOKEN_OBSERVATIONS,
  ...STATE_OBSERVATIONS,
  ...QUEUE_OBSERVATIONS,
  ...LOG_OBSERVATIONS,
];
