/** Orders texts by their code units: ASCII as its bytes, and so as DynamoDB and S3 order names. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
