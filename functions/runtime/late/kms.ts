/** Gives the client of KMS alone: imported later, its package would be loaded whole. */
export { KMSClient } from '@aws-sdk/client-kms';
