/** Checks when the CDK's own stack is created, waited for, or created anew. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bootstrap } from '../../../shared/dev/aws/toolkit-stack.ts';

/** The stack of a CloudFormation that is played: its status, and what becomes of it at each look. */
let status: string | undefined;
let later: string[] = [];
let requests: string[] = [];
let isTaken = false;

const NAMESPACE = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"';
const fault = (code: string, message: string) =>
  `<ErrorResponse ${NAMESPACE}><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

function answer(action: string): { readonly code: number; readonly body: string } {
  if (action === 'CreateStack') {
    if (isTaken) {
      [status, later] = ['CREATE_IN_PROGRESS', ['CREATE_COMPLETE']];
      return { code: 400, body: fault('AlreadyExistsException', 'Stack [CDKToolkit] already exists') };
    }
    status = later.shift() ?? 'CREATE_COMPLETE';
    return { code: 200, body: `<CreateStackResponse ${NAMESPACE}><CreateStackResult/></CreateStackResponse>` };
  }
  if (action === 'DeleteStack') {
    status = undefined;
    return { code: 200, body: `<DeleteStackResponse ${NAMESPACE}/>` };
  }
  const now = status;
  if (now !== undefined) status = later.shift() ?? now;
  if (now === undefined)
    return { code: 400, body: fault('ValidationError', 'Stack with id CDKToolkit does not exist') };
  const stack = `<member><StackName>CDKToolkit</StackName><StackStatus>${now}</StackStatus><CreationTime>2026-11-23T00:00:00Z</CreationTime></member>`;
  return {
    code: 200,
    body: `<DescribeStacksResponse ${NAMESPACE}><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  };
}

const server = createServer(async (request, response) => {
  const action = new URLSearchParams(await text(request)).get('Action') ?? '';
  requests.push(action);
  const { code, body } = answer(action);
  response.writeHead(code, { 'content-type': 'text/xml' }).end(body);
});
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => server.close());
beforeEach(() => {
  [status, later, requests, isTaken] = [undefined, [], [], false];
});

const run = () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return bootstrap({ kind: 'given', url, env: {}, pid: undefined, logFile: undefined, stop: async () => {} }, {});
};
const changes = () => requests.filter((action) => action !== 'DescribeStacks');

test('a stack that is there stays, of whatever version', async () => {
  status = 'UPDATE_COMPLETE';
  await run();
  expect(requests).toEqual(['DescribeStacks']);
});

test('one that is missing is created', async () => {
  await run();
  expect(changes()).toEqual(['CreateStack']);
});

test.each(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED'])('one in %s is created anew', async (failed) => {
  status = failed;
  await run();
  expect(changes()).toEqual(['DeleteStack', 'CreateStack']);
});

test('one that another process is creating is waited for', async () => {
  [status, later] = ['CREATE_IN_PROGRESS', ['CREATE_IN_PROGRESS', 'CREATE_COMPLETE']];
  await run();
  expect(changes()).toEqual([]);
  expect(status).toBe('CREATE_COMPLETE');
});

test('one that another process began meanwhile is waited for', async () => {
  isTaken = true;
  await run();
  expect(changes()).toEqual(['CreateStack']);
  expect(status).toBe('CREATE_COMPLETE');
});

test('one that is rolled back is told as not created', async () => {
  later = ['ROLLBACK_COMPLETE'];
  await expect(run()).rejects.toThrow(/^the stack CDKToolkit was not created: /);
});
