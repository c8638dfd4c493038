/** Checks that the error of a service comes with its next step. */
import { afterEach, expect, test } from 'vitest';
import { reasonOf, refusalOf, unreadLines } from '../../../shared/cli/support/reason-of.ts';
import { type FakeAws, fakeAws } from './fake-aws.ts';
import { cli } from './run-cli.ts';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

test.each([
  [
    'ResourceNotFoundException',
    /; names \(COUNTERSIGN_… .* in the region of AWS_REGION: aws cloudformation describe-stacks/,
  ],
  ['QueueDoesNotExist', /AWS_REGION/],
  ['AWS.SimpleQueueService.NonExistentQueue', /AWS_REGION/],
  ['NoSuchBucket', /AWS_REGION/],
  ['StateMachineDoesNotExist', /AWS_REGION/],
  ['AccessDenied', /; take the role that may/],
  ['AccessDeniedException', /; take the role that may: .* of another region than AWS_REGION$/],
  ['ExpiredTokenException', /; give the role's credentials/],
])('%s', (name, step) => {
  const words = reasonOf(named(name, 'The thing\n does not exist.'));
  expect(words).toMatch(/^The thing does not exist; /);
  expect(words).toMatch(step);
});

test('a signature for another region is no matter of credentials', () => {
  const words = reasonOf(named('SignatureDoesNotMatch', 'Credential should be scoped to a valid region.'));
  expect(words).toMatch(/^Credential should be scoped to a valid region; names .* in the region of AWS_REGION/);
});

test('a right that no role of the gate has leads to none of them', () => {
  const text = 'User: arn:x is not authorized to perform: states:GetExecutionHistory on resource: y';
  const words = reasonOf(named('AccessDeniedException', text));
  expect(words).toMatch(/; no role of the gate has this right: leave --history away/);
  expect(words).not.toContain('take the role that may');
});

test('a name tells more than the code beside it, and a code more than a name that tells nothing', () => {
  const credentials = Object.assign(named('CredentialsProviderError', 'no file'), { code: 'ENOENT' });
  expect(reasonOf(credentials)).toMatch(/give the role's credentials/);
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  expect(reasonOf(new AggregateError([refused], ''))).toMatch(/^connect; is AWS_REGION right/);
});

test('a kind that tells nothing has no step, and keeps its words', () => {
  expect(reasonOf(named('TypeError', 'x is no function.'))).toBe('x is no function.');
  expect(refusalOf('a text')).toBe('a text');
});

test('of several parts each sentence and each step stands once', () => {
  expect(unreadLines(['a', 'b', 'a'], ['go', undefined, 'go'])).toBe('a\nb\ngo');
});

test('a table of another region or stack is told with both that may be wrong', async () => {
  aws = await fakeAws({
    Query: () => ({
      __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
      message: 'Requested resource not found',
    }),
  });
  const { code, err } = await cli(['pending', '--state-table', 'elsewhere']);
  expect(code).toBe(1);
  expect(err).toMatch(/^countersign: DynamoDB: Requested resource not found; names .*AWS_REGION: aws cloudformation/);
});
