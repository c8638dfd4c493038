/** Gives what lists parameters, and none of the other 140 operations of its package. */
export { paginateGetParametersByPath, SSMClient } from '@aws-sdk/client-ssm';
