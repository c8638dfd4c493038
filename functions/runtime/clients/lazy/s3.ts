/** Gives the client of S3 alone: imported later, its package would be loaded whole. */
export { S3Client } from '@aws-sdk/client-s3';
