/** Stands in for the SDK of KMS in `contract-signed`, with the command that makes a key. */
import type { CreateKeyCommandInput, CreateKeyCommandOutput } from '@aws-sdk/client-kms';
import { commandOf } from '../../../shared/adapters/aws/signed/command.ts';

export * from '../../../shared/adapters/aws/signed/kms.ts';
export const CreateKeyCommand = commandOf<CreateKeyCommandInput, CreateKeyCommandOutput>('CreateKey');
