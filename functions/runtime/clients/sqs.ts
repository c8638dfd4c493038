/**
 * Makes the client of SQS on first use, and holds it for the life of the process.
 * In a file of its own: most batches of `evaluate` send nothing, and load it not at all.
 */
import {
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS } from '../../../shared/adapters/client-options.ts';
import { lazy } from '../lazy.ts';
import { noteOperations } from '../telemetry/aws-operations.ts';

export const sqs = lazy(() => noteOperations(new SQSClient(CLIENT_OPTIONS)));

export async function changeVisibility(change: ChangeMessageVisibilityBatchCommandInput, abortSignal: AbortSignal) {
  await sqs().send(new ChangeMessageVisibilityBatchCommand(change), { abortSignal });
}
