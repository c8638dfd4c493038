/** Gives the client of Lambda alone: imported later, its package would be loaded whole. */
export { LambdaClient } from '@aws-sdk/client-lambda';
