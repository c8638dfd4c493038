/** Gives the client of Step Functions alone: imported later, its package would be loaded whole. */
export { SFNClient } from '@aws-sdk/client-sfn';
