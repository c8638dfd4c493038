/** Names the host of AWS's console by region. */
import { Token } from 'aws-cdk-lib';
import { RegionInfo } from 'aws-cdk-lib/region-info';

const CONSOLES: Readonly<Record<string, string>> = {
  'aws-cn': 'console.amazonaws.cn',
  'aws-eusc': 'console.amazonaws-eusc.eu',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
};

/** Where a stack without a region is, shows only at deployment: it is taken for one of the commercial regions. */
export const consoleOf = (region: string): string =>
  CONSOLES[(!Token.isUnresolved(region) && RegionInfo.get(region).partition) || ''] ?? 'console.aws.amazon.com';
